"""The languages, with their packages, samples and commands."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Generated:
    """Code generated from the .proto files by `buf`, whose path is in BRIDGEMASTER_BUF."""

    folder: str
    """The folder, relative to the root."""
    command: str
    """The command that generates it."""


@dataclass(frozen=True)
class Packed:
    """A package that is built in its own folder."""

    readme: str
    """Its README, relative to the root. The first program in it is a bot."""
    bot: str
    """The file name of that bot."""
    commands: tuple[str, ...]
    """The commands that pack and install it, in an empty folder; TOP is the root."""


@dataclass(frozen=True)
class Language:
    """A language of `bridgemaster new-bot`."""

    name: str
    """The name in `new-bot`, and the folder in `bots`."""
    title: str
    """The name in the table."""
    tools: tuple[str, ...]
    """Programs that are required to build."""
    package: str
    """The dependency of a bot, for the table."""
    sample: str
    """The source of the sample bot, relative to the root."""
    pages: tuple[str, ...]
    """Pages with complete bots in this language, relative to the root."""
    readmes: tuple[str, ...]
    """The READMEs of package and sample, relative to the root. Each starts with two commands."""
    fence: str
    """The name of the language in Markdown code blocks."""
    bare_client: tuple[str, ...]
    """The command of the client that uses only the gRPC library, from the folder of a new bot; TOP
    is the root, and EXAMPLES the folder of the built Rust examples."""
    library_client: tuple[str, ...] = ()
    """The command of the bot to compare with that client, with the same placeholders; empty for the
    new bot."""
    shared_build: bool = False
    """Whether a new bot uses the packages that the workspace has built."""
    rebuild: str = ""
    """The command that rebuilds a new bot after a change of its source; empty if none is needed."""
    own_tests: str = ""
    """The command that runs the language's own tests, from the root. If empty, `cargo test` tests
    package and sample."""
    packed: Packed | None = None
    """The package of the language, if it is tested here."""
    generated: Generated | None = None
    """The generated code of the protocol, if it is in the repository."""


GUIDES = "docs/guides/bots"

LANGUAGES = (
    Language(
        name="rust",
        title="Rust",
        tools=("cargo",),
        package="[`sdk/rust`](../../../sdk/rust/src/lib.rs), a crate",
        sample="bots/rust/src/random.rs",
        pages=(f"{GUIDES}/rust.md",),
        readmes=(),
        fence="rust",
        bare_client=("EXAMPLES/bare_client",),
        # This builds the new bot with optimization.
        library_client=("EXAMPLES/first_bot",),
        shared_build=True,
        rebuild="cargo build",
    ),
    Language(
        name="python",
        title="Python",
        tools=("python3",),
        package="[`sdk/python`](../../../sdk/python/README.md), a wheel",
        sample="bots/python/random_bot.py",
        pages=(
            "README.md",
            f"{GUIDES}/python.md",
            "docs/start/first-bot.md",
            "docs/start/first-verdict.md",
            "sdk/python/README.md",
        ),
        readmes=("sdk/python/README.md", "bots/python/README.md"),
        fence="python",
        bare_client=(".venv/bin/python", "TOP/sdk/python/tests/bare_client.py"),
    ),
    Language(
        name="typescript",
        title="TypeScript, JavaScript",
        tools=("node", "npm"),
        package="[`sdk/typescript`](../../../sdk/typescript/README.md), an npm package",
        sample="bots/typescript/src/sample-bot.ts",
        pages=(f"{GUIDES}/typescript.md", "sdk/typescript/README.md"),
        readmes=("sdk/typescript/README.md", "bots/typescript/README.md"),
        fence="[jt]s",
        bare_client=("node", "TOP/sdk/typescript/test-build/bare-client.js"),
        rebuild="npm run build",
        own_tests="npm test --prefix sdk/typescript",
        packed=Packed(
            readme="sdk/typescript/README.md",
            bot="my-bot.mjs",
            # Use the packages that were downloaded for the build.
            commands=(
                "npm pack TOP/sdk/typescript --ignore-scripts",
                "npm install --prefer-offline ./bridgemaster-*.tgz",
            ),
        ),
    ),
    Language(
        name="go",
        title="Go",
        tools=("go",),
        package="[`bots/go`](../../../bots/go/README.md), a module",
        sample="bots/go/sample-bot/main.go",
        pages=(f"{GUIDES}/go.md", "bots/go/README.md"),
        readmes=("bots/go/README.md",),
        fence="go",
        bare_client=("go", "run", "-C", "TOP/bots/go", "./bare-client"),
        rebuild="go build -o my-bot .",
        own_tests="go vet -C bots/go ./... && go test -C bots/go -count=1 ./...",
        generated=Generated(folder="bots/go/gen", command="go generate -C bots/go ./..."),
    ),
    Language(
        name="java",
        title="Java",
        tools=("javac", "mvn"),
        package="[`bots/java`](../../../bots/java/README.md), a Maven project",
        sample="bots/java/sample-bot/src/main/java/sample/SampleBot.java",
        pages=(f"{GUIDES}/java.md", "bots/java/README.md"),
        readmes=("bots/java/README.md",),
        fence="java",
        bare_client=(
            "java",
            "-cp",
            "TOP/bots/java/sample-bot/target/sample-bot.jar",
            "sample.BareClient",
        ),
        rebuild="mvn -q package",
        own_tests="mvn -B -q -f bots/java test",
    ),
    Language(
        name="cpp",
        title="C++",
        tools=("cmake", "c++", "protoc", "grpc_cpp_plugin", "pkg-config"),
        package="[`bots/cpp`](../../../bots/cpp/README.md), a CMake project",
        sample="bots/cpp/sample_bot.cpp",
        pages=(f"{GUIDES}/cpp.md", "bots/cpp/README.md"),
        readmes=("bots/cpp/README.md",),
        fence="cpp",
        bare_client=("TOP/bots/cpp/build/bare-client",),
        rebuild="cmake --build build",
        own_tests=(
            "cmake -S bots/cpp -B bots/cpp/build -DBRIDGEMASTER_TESTS=ON "
            "&& cmake --build bots/cpp/build --parallel 2 "
            "&& ctest --test-dir bots/cpp/build --output-on-failure"
        ),
    ),
)
