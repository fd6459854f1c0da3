"""The bots: their kinds, and their processes."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from language_tests.catalogue import LANGUAGES
from language_tests.processes import TOP, FailedError
from language_tests.sample import command_of

LOGGED_BOT = TOP / ".ci/cluster_storm/logged_bot.py"
RECONNECT_FOR_S = 600
"""How long bots look for a server: several troubles may come one upon the other."""
MOST_STARTS = 10
"""Of a bot that gives up, until it is said to be broken."""


@dataclass(frozen=True)
class Kind:
    """A kind of bot."""

    name: str
    command: tuple[str, ...]
    """`PROGRAM` is the program, `SEED` a number that decides all that it decides."""

    @property
    def repeats(self) -> bool:
        """Whether it decides the same when it is asked the same."""
        return "SEED" in self.command

    @property
    def writes_down(self) -> bool:
        """Whether it writes down what it is told."""
        return self.repeats


def kinds() -> dict[str, Kind]:
    """Return all kinds that are there: those of other languages where their bots are built."""
    python = os.environ.get("BRIDGEMASTER_PYTHON", sys.executable)
    flags = ("--seed", "SEED", "--reconnect-for", str(RECONNECT_FOR_S))
    found = [
        Kind("rust-random", ("PROGRAM", "bot", "random", *flags)),
        Kind("python-sample", (python, str(LOGGED_BOT), "sample", *flags)),
        Kind("rust-greedy", ("PROGRAM", "bot", "greedy", *flags)),
        Kind("python-forgetful", (python, str(LOGGED_BOT), "forgetful", *flags)),
    ]
    found += [Kind(name, command) for name, command in others().items() if is_built(command)]
    return {kind.name: kind for kind in found}


def others() -> dict[str, tuple[str, ...]]:
    """Return the commands of the sample bots in other languages, built or not."""
    names = [language for language in LANGUAGES if language.name not in ("rust", "python")]
    return {language.name: tuple(command_of(language, Path())) for language in names}


def is_built(command: tuple[str, ...]) -> bool:
    """Tell whether a bot can be started."""
    files = [word for word in command if "/" in word and not word.startswith("-")]
    is_there = all((TOP / word).is_file() for word in files)
    return is_there and shutil.which(command[0], path=f"{os.environ['PATH']}:{TOP}") is not None


class Bot:
    """A bot of a seat."""

    def __init__(self, kind: Kind, program: Path, log: Path, seed: int, **variables: str) -> None:
        """Start it."""
        self.kind, self.log = kind, log
        self.starts = 0
        stands_for = {"PROGRAM": str(program), "SEED": str(seed)}
        self._command = [stands_for.get(word, word) for word in kind.command]
        self._variables = variables
        self._start()

    def has_ended(self) -> bool:
        """Tell whether it has ended, as it may only at the end of its match.

        One that never found a server may have given up, and so may one that cannot be told to look
        for long: their owner starts them again.
        """
        code = self._process.poll()
        knows_nothing = code and " received server_url=" not in self.log.read_text(errors="replace")
        if code and (knows_nothing or not self.kind.repeats) and self.starts < MOST_STARTS:
            self._start()
        elif code:
            raise FailedError(
                f"{self.kind.name} ended with {code}: {self.log}\n{self._last_words()}"
            )
        return code == 0

    def end(self) -> None:
        """End it."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _start(self) -> None:
        self.starts += 1
        with self.log.open("ab") as file:
            self._process = subprocess.Popen(
                # They leave the processor to the servers when those want it.
                ["nice", *self._command],
                cwd=TOP,
                env=os.environ | {"RUST_LOG": "warn,bridgemaster_sdk=trace"} | self._variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
            )

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(line[:300] for line in lines[-5:])
