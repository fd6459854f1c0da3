"""Checks that each command of the READMEs is run by some step, or has a reason why not."""

import re
import tempfile
from pathlib import Path

from .catalogue import Language
from .processes import TOP, FailedError, play_there, shell

OWN_TESTS = "covered by its own tests"
NO_SERVER = "it needs a server with a match"
INSTALLED = "`.ci/install` runs it"

NOT_RUN = {
    "apt-get install cmake g++ pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler "
    "protobuf-compiler-grpc libssl-dev": INSTALLED,
    "python3 sdk/python/develop.py": INSTALLED,
    "python3 sdk/python/develop.py --with-checks": INSTALLED,
    "cd bots/python && ../../sdk/python/.venv/bin/python -m unittest discover "
    "--start-directory tests --top-level-directory .": "`cargo test` runs it",
    "BRIDGEMASTER_SERVER=http://127.0.0.1:50051 BRIDGEMASTER_TICKET=... "
    ".venv/bin/python my_bot.py": NO_SERVER,
    "BRIDGEMASTER_SERVER=http://127.0.0.1:50051 BRIDGEMASTER_TICKET=... node my-bot.mjs": NO_SERVER,
    "npm install --prefix sdk/typescript": "part of the first command of the page",
    "npm test --prefix sdk/typescript": OWN_TESTS,
    "cmake -S bots/cpp -B bots/cpp/build -DBRIDGEMASTER_TESTS=ON "
    "&& cmake --build bots/cpp/build --parallel 2": OWN_TESTS,
    "ctest --test-dir bots/cpp/build": OWN_TESTS,
    "go test -C bots/go ./...": OWN_TESTS,
    "go generate -C bots/go": "the test of the generated code runs it",
    "mvn -q -f bots/java test": OWN_TESTS,
}
"""Commands of the READMEs that are not run unchanged, with the reason."""


def test(language: Language, program: Path) -> None:
    """Run the commands that no other step runs, and print those that are not run."""
    for readme in language.readmes:
        text = (TOP / readme).read_text()
        two = commands_of(readme)
        for block in re.findall(r"^```(?:sh|text)\n(.+?)^```$", text, re.M | re.S):
            for command in block.splitlines():
                if command in two:
                    continue
                if command not in NOT_RUN:
                    raise FailedError(f"{readme}: no test runs `{command}`")
                print(f"{readme}: `{command}` is not run: {NOT_RUN[command]}")
    if language.packed:
        play_from_root(language, program)


def commands_of(readme: str) -> tuple[str, str]:
    """Return the two commands of a README: the one to build, and the one to play."""
    block = re.search(r"^```sh\n(.+)\n(.+)\n```$", (TOP / readme).read_text(), re.MULTILINE)
    if block is None:
        raise FailedError(f"{readme} does not have two commands")
    return block[1], block[2]


def play_from_root(language: Language, program: Path) -> None:
    """Run the commands of the README of a package, in a folder that stands in for the root."""
    packed = language.packed
    if packed is None:
        return
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "sdk").symlink_to(TOP / "sdk")
        (folder / packed.bot).write_text(first_bot(packed.readme, language.fence))
        build, play = commands_of(packed.readme)
        shell(build, folder)
        play_there(play, program, folder)


def first_bot(readme: str, fence: str) -> str:
    """Return the first program of a README."""
    bot = re.search(rf"^```{fence}\n(.+?)^```$", (TOP / readme).read_text(), re.M | re.S)
    if bot is None:
        raise FailedError(f"{readme} has no bot")
    return bot[1]
