"""Kinds of bots, and their processes."""

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
FORGETFUL = "python-forgetful"
"""The kind of bot whose decisions depend only on the request."""
RECONNECT_FOR_S = 600
"""Time for which bots retry to reach a server, in seconds; disruptions can follow each other."""
MAX_STARTS = 10
"""Maximum number of starts of a bot that exits because it found no server."""


@dataclass(frozen=True)
class Kind:
    """A kind of bot, with its command."""

    name: str
    command: tuple[str, ...]
    """`PROGRAM` stands for the program, `SEED` for the seed of its decisions."""

    @property
    def is_deterministic(self) -> bool:
        """Return whether equal requests lead to equal decisions."""
        return "SEED" in self.command

    @property
    def remembers(self) -> bool:
        """Return whether a bot can decide differently after a restart than without it."""
        return self.name != FORGETFUL

    @property
    def is_logged(self) -> bool:
        """Return whether the bot logs its messages."""
        return self.is_deterministic


def kinds() -> dict[str, Kind]:
    """Return all available kinds; bots of other languages are included only if they are built."""
    python = os.environ.get("BRIDGEMASTER_PYTHON", sys.executable)
    flags = ("--seed", "SEED", "--reconnect-for", str(RECONNECT_FOR_S))
    found = [
        Kind("rust-random", ("PROGRAM", "bot", "random", *flags)),
        Kind("python-sample", (python, str(LOGGED_BOT), "sample", *flags)),
        Kind("rust-greedy", ("PROGRAM", "bot", "greedy", *flags)),
        Kind(FORGETFUL, (python, str(LOGGED_BOT), "forgetful", *flags)),
    ]
    found += [Kind(name, command) for name, command in others().items() if is_built(command)]
    return {kind.name: kind for kind in found}


def others() -> dict[str, tuple[str, ...]]:
    """Return the commands of the sample bots in other languages, whether built or not."""
    names = [language for language in LANGUAGES if language.name not in ("rust", "python")]
    return {language.name: tuple(command_of(language, Path())) for language in names}


def is_built(command: tuple[str, ...]) -> bool:
    """Return whether the files of a command exist."""
    files = [word for word in command if "/" in word and not word.startswith("-")]
    is_there = all((TOP / word).is_file() for word in files)
    return is_there and shutil.which(command[0], path=f"{os.environ['PATH']}:{TOP}") is not None


class Bot:
    """The bot of a seat; it is restarted if it exits without having reached a server."""

    def __init__(self, kind: Kind, program: Path, log: Path, seed: int, **variables: str) -> None:
        """Start the process."""
        self.kind, self.log = kind, log
        self.starts = self.kills = 0
        placeholders = {"PROGRAM": str(program), "SEED": str(seed)}
        self._command = [placeholders.get(word, word) for word in kind.command]
        self._variables = variables
        self._start()

    def has_ended(self) -> bool:
        """Return whether the bot has exited; it must not exit before the end of its match.

        A bot that never reached a server may exit early, and so may one without an option for the
        reconnect time. Such bots are restarted.
        """
        code = self._process.poll()
        has_no_match = code and " received server_url=" not in self.log.read_text(errors="replace")
        is_early = has_no_match or not self.kind.is_deterministic
        if code and is_early and self.starts < MAX_STARTS:
            self._start()
        elif code:
            raise FailedError(
                f"{self.kind.name} exited with {code}: {self.log}\n{self._log_tail()}"
            )
        return code == 0

    def kill(self) -> bool:
        """Kill and restart the bot; return whether it was running."""
        if self._process.poll() is not None:
            return False
        self.end()
        self.kills += 1
        with self.log.open("ab") as file:
            # Ends a line that the kill has interrupted.
            file.write(b"\n")
        self._start()
        return True

    def end(self) -> None:
        """Kill the process if it is running."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _start(self) -> None:
        self.starts += 1
        with self.log.open("ab") as file:
            self._process = subprocess.Popen(
                # Servers have priority over bots.
                ["nice", *self._command],
                cwd=TOP,
                env=os.environ | {"RUST_LOG": "warn,bridgemaster_sdk=trace"} | self._variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
            )

    def _log_tail(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(line[:300] for line in lines[-5:])
