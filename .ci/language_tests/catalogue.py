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
    tools: tuple[str, ...]
    """Programs without which nothing can be built."""
    package: str
    """What a bot author depends on, for the table."""
    sample: str
    """The source of the sample bot, from the top folder."""
    pages: tuple[str, ...]
    """Pages that have whole bots in this language, from the top folder."""
    fence: str
    """How the pages mark them."""
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
        tools=("cargo",),
        package="[`sdk/rust`](../sdk/rust/src/lib.rs), a crate",
        sample="bots/rust/src/random.rs",
        pages=(GUIDE,),
        fence="rust",
        rebuild="cargo build",
    ),
    Language(
        name="python",
        tools=("python3",),
        package="[`sdk/python`](../sdk/python/README.md), a wheel",
        sample="bots/python/random_bot.py",
        pages=("README.md", GUIDE, "docs/ci.md", "sdk/python/README.md"),
        fence="python",
    ),
    Language(
        name="typescript",
        tools=("node", "npm"),
        package="[`sdk/typescript`](../sdk/typescript/README.md), an npm package",
        sample="bots/typescript/src/sample-bot.ts",
        pages=(GUIDE, "sdk/typescript/README.md"),
        fence="[jt]s",
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
        tools=("go",),
        package="[`bots/go`](../bots/go/README.md), a module",
        sample="bots/go/sample-bot/main.go",
        pages=(GUIDE, "bots/go/README.md"),
        fence="go",
        rebuild="go build -o my-bot .",
        own_tests="go vet -C bots/go ./... && go test -C bots/go -count=1 ./...",
        generated=Generated(folder="bots/go/gen", command="go generate -C bots/go ./..."),
    ),
    Language(
        name="java",
        tools=("javac", "mvn"),
        package="[`bots/java`](../bots/java/README.md), a Maven project",
        sample="bots/java/sample-bot/src/main/java/sample/SampleBot.java",
        pages=(GUIDE, "bots/java/README.md"),
        fence="java",
        rebuild="mvn -q package",
        own_tests="mvn -B -q -f bots/java test",
    ),
    Language(
        name="cpp",
        tools=("cmake", "c++", "protoc", "grpc_cpp_plugin", "pkg-config"),
        package="[`bots/cpp`](../bots/cpp/README.md), a CMake project",
        sample="bots/cpp/sample_bot.cpp",
        pages=(GUIDE, "bots/cpp/README.md"),
        fence="cpp",
        rebuild="cmake --build build",
        own_tests=(
            "cmake -S bots/cpp -B bots/cpp/build -DBRIDGEMASTER_TESTS=ON "
            "&& cmake --build bots/cpp/build --parallel 2 "
            "&& ctest --test-dir bots/cpp/build --output-on-failure"
        ),
    ),
)
