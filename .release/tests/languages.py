"""The packages of the languages: each is installed as its ecosystem does, and a bot plays."""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from parts.release import TOP, FailedError

from .environment import Environment

TEMPLATES = TOP / "server/cli/templates"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
RUNTIMES = ("bun@1.4.5", "deno@2.9.6")


def bot_source(environment: Environment, language: str, name: str) -> None:
    """Write the bot of a template, with the names of the release."""
    text = (TEMPLATES / language / name).read_text()
    release = environment.release
    for key, value in {
        "@GO@": release.registry("go"),
        "@MAVEN_GROUP@": release.registry("maven_group"),
        "@VERSION@": release.version,
        "@REQUIREMENT@": f'bridgemaster-sdk = "{release.version}"',
    }.items():
        text = text.replace(key, value)
    file = environment.bot / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def python(environment: Environment) -> None:
    """Install the wheel for each Python of this machine, and the sdist for the first."""
    environment.install_program()
    bot_source(environment, "python", "my_bot.py")
    wheel = environment.file("bridgemaster-VERSION-py3-none-any.whl")
    sdist = environment.file("bridgemaster-VERSION.tar.gz")
    found = {version: interpreter for version in PYTHONS if (interpreter := pythons(version))}
    if not found:
        raise FailedError(f"no Python with venv is installed: none of {', '.join(PYTHONS)}")
    if missing := [version for version in PYTHONS if version not in found]:
        print(f"python: not tested with {', '.join(missing)}")
    for number, (version, interpreter) in enumerate(found.items()):
        for package in (wheel, sdist) if number == 0 else (wheel,):
            venv = f"venv-{version}-{'sdist' if package == sdist else 'wheel'}"
            environment.run(f"{interpreter} -m venv {venv} && {venv}/bin/pip install -q {package}")
            environment.play(f"{venv}/bin/python my_bot.py")
            print(f"python {version}: {package.name} plays")


def pythons(version: str) -> str | None:
    """Return an interpreter of a version, on the search path or beside the running one."""
    name = f"python{version}"
    folders = sorted(Path(sys.base_prefix).parent.glob(f"{version}.*/bin/{name}"))
    for candidate in [shutil.which(name), *map(str, folders)]:
        works = candidate and subprocess.run([candidate, "-c", "import venv"], capture_output=True)
        if works and works.returncode == 0:
            return candidate
    return None


def npm(environment: Environment) -> None:
    """Install the tarball; play in TypeScript, CommonJS, Bun and Deno."""
    environment.install_program()
    for name in ("src/my-bot.ts", "tsconfig.json"):
        bot_source(environment, "typescript", name)
    package = environment.file("bridgemaster-VERSION.tgz")
    quiet = "--no-audit --no-fund --loglevel=error"
    environment.run("npm init --yes --init-type=module >/dev/null")
    environment.run(f"npm install {quiet} {package} typescript@7.0.2 @types/node@20")
    environment.run("npx tsc")
    environment.play("node dist/my-bot.js")
    print("node: the bot in TypeScript plays")
    body = "run((request) => Math.floor(request.legalCount / 2));\n"
    (environment.bot / "bot.cjs").write_text(f'const {{ run }} = require("bridgemaster");\n{body}')
    environment.play("node bot.cjs")
    print("node: CommonJS plays")
    (environment.bot / "bot.mjs").write_text(f'import {{ run }} from "bridgemaster";\nawait {body}')
    environment.run(f"npm install --no-save {quiet} {' '.join(RUNTIMES)}")
    for command in ("node_modules/.bin/bun bot.mjs", "node_modules/.bin/deno run -A bot.mjs"):
        environment.play(command)
        print(f"{command} plays")


def maven(environment: Environment) -> None:
    """Build a bot with the artifacts in a local repository, and start the sample bot's jar."""
    environment.install_program()
    for name in ("src/main/java/MyBot.java", "pom.xml"):
        bot_source(environment, "java", name)
    settings = environment.folder / "home/.m2/settings.xml"
    settings.parent.mkdir()
    settings.write_text(
        "<settings><profiles><profile><id>release</id><activation><activeByDefault>true"
        "</activeByDefault></activation><repositories><repository><id>release</id>"
        f"<url>file://{environment.file('maven')}</url></repository></repositories></profile>"
        "</profiles></settings>"
    )
    # Java does not read HOME.
    options = f"-Duser.home={environment.folder / 'home'}"
    environment.run("mvn -B -q package", MAVEN_OPTS=options)
    environment.play("java -jar target/my-bot.jar")
    environment.play(f"java -jar {environment.file('sample-bot-VERSION.jar')}")


def go(environment: Environment) -> None:
    """Build a bot with the module from a proxy in a folder."""
    environment.install_program()
    for name in ("main.go", "go.mod"):
        bot_source(environment, "go", name)
    module = environment.release.registry("go")
    environment.run(
        "go mod tidy && go vet . && go build -o my-bot .",
        GOPROXY=f"file://{environment.file('go')},https://proxy.golang.org",
        GONOSUMDB=module,
        # Otherwise, the folder could not be removed.
        GOFLAGS="-modcacherw -buildvcs=false",
    )
    environment.play("./my-bot")


FETCHED = """cmake_minimum_required(VERSION 3.18)
project(my-bot LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(bridgemaster URL file://{archive})
FetchContent_MakeAvailable(bridgemaster)
add_executable(my-bot my_bot.cpp)
target_link_libraries(my-bot PRIVATE bridgemaster::bridgemaster)
"""
FOUND = """cmake_minimum_required(VERSION 3.18)
project(my-bot LANGUAGES CXX)
find_package(bridgemaster {version} REQUIRED)
add_executable(my-bot ../my_bot.cpp)
target_link_libraries(my-bot PRIVATE bridgemaster::bridgemaster)
"""


def cmake(environment: Environment) -> None:
    """Build a bot by FetchContent, install the library, and build the bot by find_package."""
    environment.install_program()
    bot_source(environment, "cpp", "my_bot.cpp")
    archive = environment.file("bridgemaster-cpp-VERSION.tar.gz")
    (environment.bot / "CMakeLists.txt").write_text(FETCHED.format(archive=archive))
    environment.run("cmake -S . -B build && cmake --build build --parallel 2")
    environment.play("build/my-bot")
    print("FetchContent plays")
    prefix = environment.folder / "prefix"
    environment.run(f"cmake --install build --prefix {prefix}")
    found = environment.bot / "found"
    found.mkdir()
    version = environment.release.version
    (found / "CMakeLists.txt").write_text(FOUND.format(version=version))
    shutil.rmtree(environment.bot / "build")
    environment.run(
        f"cmake -S . -B build -DCMAKE_PREFIX_PATH={prefix} && cmake --build build", found
    )
    environment.play("found/build/my-bot")
    print("find_package plays")


def crates(environment: Environment) -> None:
    """Build a bot with the crates, which stand in for those of the registry."""
    environment.install_program()
    for name in ("src/main.rs", "Cargo.toml"):
        bot_source(environment, "rust", name)
    patches = ["[patch.crates-io]"]
    for file in sorted(environment.files.glob("*.crate")):
        with tarfile.open(file) as archive:
            archive.extractall(environment.folder / "crates", filter="data")
        [name] = re.findall(r"^(bridgemaster-[a-z]+)-", file.name)
        patches.append(f'{name} = {{ path = "{environment.folder / "crates" / file.stem}" }}')
    if len(patches) == 1:
        raise FailedError("the release has no crates: build the part `crates` first")
    (environment.bot / ".cargo").mkdir()
    (environment.bot / ".cargo/config.toml").write_text("\n".join(patches))
    environment.run("cargo build --quiet")
    environment.play("target/debug/my-bot")
