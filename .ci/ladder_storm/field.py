"""The bots: who they are, and their processes."""

import csv
import os
from dataclasses import dataclass
from pathlib import Path

from language_tests.processes import FailedError, tell

from .running import Running

SLOTS = 2
"""Matches of a bot at once."""


@dataclass(frozen=True)
class Kind:
    """A kind of bot."""

    name: str
    strength: int | None
    """Bots of a higher number are to be stronger; None where nothing is said of it."""


KINDS = (
    Kind("random", 0),
    Kind("greedy", 1),
    Kind("search", 2),
    Kind("python-random", 0),
    Kind("python-sample", None),
)


def kind_of(bot_name: str) -> Kind:
    """Return the kind of a bot of this name."""
    name = bot_name.rpartition("-")[0]
    return next(kind for kind in KINDS if kind.name == name)


class Field:
    """All bots of the ladder."""

    def __init__(
        self, program: Path, folder: Path, store: list[str], playouts: int, bots: int
    ) -> None:
        """Make a key for each of so many bots, and one for whoever runs the ladder."""
        self._program = str(program)
        self._folder = folder
        self._playouts = playouts
        self.names = [f"{KINDS[bot % len(KINDS)].name}-{bot:02}" for bot in range(bots)]
        lines = [f"{name},play" for name in self.names] + ["organizer,admin read"]
        wanted, made = folder / "wanted-keys.csv", folder / "keys.csv"
        wanted.write_text("".join(f"{line}\n" for line in lines))
        flags = ("--from-csv", str(wanted), *store, "--output", str(made))
        tell(program, "key", "add", *flags)
        with made.open() as file:
            rows = [row for row in csv.reader(file) if len(row) == 2]
        self._keys = dict(rows)
        self._running: list[Running] = []

    @property
    def organizer(self) -> str:
        """The key of whoever runs the ladder."""
        return self._keys["organizer"]

    def start(self, url: str, ladder: str) -> None:
        """Let all bots attend."""
        for name in self.names:
            bot = Running(
                name,
                # They leave the processor to the server when it wants it.
                ["nice", *self._command(kind_of(name))],
                self._folder / f"bot-{name}.log",
                BRIDGEMASTER_SERVER=url,
                BRIDGEMASTER_KEY=self._keys[name],
                BRIDGEMASTER_QUEUE=ladder,
                BRIDGEMASTER_SLOTS=str(SLOTS),
            )
            self._running.append(bot)

    def restart(self, pick: float) -> None:
        """Kill one of them, a number from 0 to 1 telling which, and start it again."""
        bot = self._running[int(pick * len(self._running))]
        bot.kill()
        bot.start()

    def must_run(self) -> None:
        """Fail if a bot has ended by itself."""
        for bot in self._running:
            bot.must_run()

    def spent_s(self) -> float:
        """Return the processor time of all bots."""
        return sum(bot.spent_s() for bot in self._running)

    def end(self) -> None:
        """End all bots."""
        for bot in self._running:
            bot.end()

    def _command(self, kind: Kind) -> list[str]:
        if kind.name.startswith("python-"):
            python = os.environ.get("BRIDGEMASTER_PYTHON", "sdk/python/.venv/bin/python")
            return [python, f"bots/python/{kind.name.removeprefix('python-')}_bot.py"]
        effort = ["--playouts", str(self._playouts)] if kind.name == "search" else []
        return [self._program, "bot", kind.name, *effort]


def must_have_all_kinds(names: list[str]) -> None:
    """Fail if there are fewer bots than kinds."""
    if len(names) < len(KINDS):
        raise FailedError(f"takes at least {len(KINDS)} bots, one of each kind")
