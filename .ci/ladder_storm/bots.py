"""The bots: their names, and their processes."""

import csv
import os
from dataclasses import dataclass
from pathlib import Path

from language_tests.processes import FailedError, run_program

from .running import RestartableProcess

SLOTS = 2
"""Number of concurrent matches per bot."""


@dataclass(frozen=True)
class Kind:
    """A kind of bot, with its relative strength."""

    name: str
    strength: int | None
    """The required strength: bots with a higher number must be stronger. None requires nothing."""


KINDS = (
    Kind("random", 0),
    Kind("greedy", 1),
    Kind("search", 2),
    Kind("python-random", 0),
    Kind("python-sample", None),
)


def kind_of(bot_name: str) -> Kind:
    """Return the kind of a bot by its name."""
    name = bot_name.rpartition("-")[0]
    return next(kind for kind in KINDS if kind.name == name)


class Bots:
    """All bots of a ladder."""

    def __init__(
        self, program: Path, folder: Path, store: list[str], playouts: int, bots: int
    ) -> None:
        """Create a key for each bot, and one for the organiser."""
        self._program = str(program)
        self._folder = folder
        self._playouts = playouts
        self.names = [f"{KINDS[bot % len(KINDS)].name}-{bot:02}" for bot in range(bots)]
        lines = [f"{name},play" for name in self.names] + ["organiser,admin read"]
        requested, keys = folder / "requested-keys.csv", folder / "keys.csv"
        requested.write_text("".join(f"{line}\n" for line in lines))
        flags = ("--from-csv", str(requested), *store, "--output", str(keys))
        run_program(program, "key", "add", *flags)
        with keys.open() as file:
            rows = [row for row in csv.reader(file) if len(row) == 2]
        self._keys = dict(rows)
        self._running: list[RestartableProcess] = []

    @property
    def organiser(self) -> str:
        """Return the key of the organiser."""
        return self._keys["organiser"]

    def start(self, url: str, ladder: str) -> None:
        """Start all bots, which attend the ladder."""
        for name in self.names:
            bot = RestartableProcess(
                name,
                # Servers have priority over bots.
                ["nice", *self._command(kind_of(name))],
                self._folder / f"bot-{name}.log",
                BRIDGEMASTER_SERVER=url,
                BRIDGEMASTER_KEY=self._keys[name],
                BRIDGEMASTER_QUEUE=ladder,
                BRIDGEMASTER_SLOTS=str(SLOTS),
            )
            self._running.append(bot)

    def restart(self, pick: float) -> None:
        """Kill and restart a bot, chosen by a number from 0 to 1."""
        bot = self._running[int(pick * len(self._running))]
        bot.kill()
        bot.start()

    def check_running(self) -> None:
        """Fail if a bot has exited by itself."""
        for bot in self._running:
            bot.check_running()

    def cpu_s(self) -> float:
        """Return the CPU time of all bots."""
        return sum(bot.cpu_s() for bot in self._running)

    def end(self) -> None:
        """Kill all bots."""
        for bot in self._running:
            bot.end()

    def _command(self, kind: Kind) -> list[str]:
        if kind.name.startswith("python-"):
            python = os.environ.get("BRIDGEMASTER_PYTHON", "sdk/python/.venv/bin/python")
            return [python, f"bots/python/{kind.name.removeprefix('python-')}_bot.py"]
        effort = ["--playouts", str(self._playouts)] if kind.name == "search" else []
        return [self._program, "bot", kind.name, *effort]


def check_number(names: list[str]) -> None:
    """Fail if there are fewer bots than kinds."""
    if len(names) < len(KINDS):
        raise FailedError(f"at least {len(KINDS)} bots are required, one of each kind")
