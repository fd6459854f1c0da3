"""The languages, and what there is in each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Generated:
    """Code that was made from the .proto files. `buf` makes it, of BRIDGEMASTER_BUF."""

    folder: str
    """Where it is, from the top folder."""
    command: str
    """What makes it anew."""


@dataclass(frozen=True)
class Packed:
    """A package that is built in its folder."""

    readme: str
    """Its README, from the top folder. The first program there is a bot."""
    bot: str
    """The file that the README names for it."""
    commands: tuple[str, ...]
    """What packs and installs it, in an empty folder; TOP is the top folder."""


@dataclass(frozen=True)
class Language:
    """A language that `bridgemaster new-bot` knows."""

    name: str
    """As `new-bot` names it, and the folder in `bots`."""
    title: str
    """As people name it."""
    tools: tuple[str, ...]
    """Programs without which nothing can be built."""
    package: str
    """What a bot author depends on, for the table."""
    sample: str
    """The source of the sample bot, from the top folder."""
    pages: tuple[str, ...]
    """Pages that have whole bots in this language, from the top folder."""
    readmes: tuple[str, ...]
    """The READMEs of package and sample, from the top folder. Each begins with two commands."""
    fence: str
    """How the pages mark them."""
    bare_client: tuple[str, ...]
    """The command of the client that is nothing but the gRPC library, from the folder of a new bot;
    TOP is the top folder, and EXAMPLES that of the built examples of Rust."""
    library_client: tuple[str, ...] = ()
    """The command of the bot that is compared with it, named in the same way; without one the new
    bot."""
    rebuild: str = ""
    """What builds a new bot again after a change of its source, if anything has to."""
    own_tests: str = ""
    """The command that runs its own tests, from the top folder. Without one, package and sample are
    tested by `cargo test`."""
    packed: Packed | None = None
    """Its package, if it has one that is tested here."""
    generated: Generated | None = None
    """The code of the protocol, if it is in the repository."""


GUIDE = "docs/writing-a-bot.md"

LANGUAGES = (
    Language(
        name="rust",
        title="Rust",
        tools=("cargo",),
        package="[`sdk/rust`](../sdk/rust/src/lib.rs), a crate",
        sample="bots/rust/src/random.rs",
        pages=(GUIDE,),
        readmes=(),
        fence="rust",
        bare_client=("EXAMPLES/bare_client",),
        # The new bot is not optimized; this is the same one.
        library_client=("EXAMPLES/first_bot",),
        rebuild="cargo build",
    ),
    Language(
        name="python",
        title="Python",
        tools=("python3",),
        package="[`sdk/python`](../sdk/python/README.md), a wheel",
        sample="bots/python/random_bot.py",
        pages=("README.md", GUIDE, "docs/ci.md", "sdk/python/README.md"),
        readmes=("sdk/python/README.md", "bots/python/README.md"),
        fence="python",
        bare_client=(".venv/bin/python", "TOP/sdk/python/tests/bare_client.py"),
    ),
    Language(
        name="typescript",
        title="TypeScript, JavaScript",
        tools=("node", "npm"),
        package="[`sdk/typescript`](../sdk/typescript/README.md), an npm package",
        sample="bots/typescript/src/sample-bot.ts",
        pages=(GUIDE, "sdk/typescript/README.md"),
        readmes=("sdk/typescript/README.md", "bots/typescript/README.md"),
        fence="[jt]s",
        bare_client=("node", "TOP/sdk/typescript/test-build/bare-client.js"),
        rebuild="npm run build",
        own_tests="npm test --prefix sdk/typescript",
        packed=Packed(
            readme="sdk/typescript/README.md",
            bot="my-bot.mjs",
            # What was downloaded for the build is not downloaded again.
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
        package="[`bots/go`](../bots/go/README.md), a module",
        sample="bots/go/sample-bot/main.go",
        pages=(GUIDE, "bots/go/README.md"),
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
        package="[`bots/java`](../bots/java/README.md), a Maven project",
        sample="bots/java/sample-bot/src/main/java/sample/SampleBot.java",
        pages=(GUIDE, "bots/java/README.md"),
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
        package="[`bots/cpp`](../bots/cpp/README.md), a CMake project",
        sample="bots/cpp/sample_bot.cpp",
        pages=(GUIDE, "bots/cpp/README.md"),
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
