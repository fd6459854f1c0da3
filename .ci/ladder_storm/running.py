"""Bots and a server that are killed and started again, with the processor time that they took."""

import os
import random
import re
import subprocess
import time
from pathlib import Path
from typing import Protocol

from language_tests.processes import TOP, FailedError, until

from .links import Cut, Links

TICKS = os.sysconf("SC_CLK_TCK")
KILLED_WHILE_STARTING = 0.25
"""Share of the kills of a server after which the next one is killed while it starts."""
STARTING_S = 0.06
"""How long after its start that is at most."""
SHOWN_OF_A_PANIC = 4000
"""Characters: its message and the frames that matter."""


class Running:
    """A process, and those that were in its place before."""

    def __init__(self, name: str, command: list[str], log: Path, **variables: str) -> None:
        """Start it; what it says goes to the end of a log."""
        self.name = name
        self.command = command
        self.log = log
        self._variables = variables
        self._spent_s = 0.0
        self.starts = 0
        self.start()

    def start(self) -> None:
        """Start it, or start it again."""
        self.starts += 1
        environment = {key: value for key, value in os.environ.items() if key != "RUST_LOG"}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                cwd=TOP,
                env=environment | self._variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def must_run(self) -> None:
        """Fail if it has ended by itself."""
        if self._process.poll() is not None:
            raise FailedError(f"{self.name} ended by itself:\n{self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        """Kill it: nothing of it runs any more."""
        self.must_run()
        self._spent_s += self._spent_now_s()
        self._process.kill()
        self._process.wait()

    def spent_s(self) -> float:
        """Return the processor time of this process and those before it."""
        return self._spent_s + self._spent_now_s()

    def _spent_now_s(self) -> float:
        return spent_s(self._process.pid)

    def end(self) -> None:
        """End it, if it runs."""
        if self._process.poll() is None:
            self._spent_s += self._spent_now_s()
            self._process.kill()
            self._process.wait()


def spent_s(pid: int) -> float:
    """Return the processor time of a process; 0 if it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    # Behind the name, which may have blanks; the 14th and 15th field of all.
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def panic_in(log: Path) -> str | None:
    """Return how a server panicked, by its log; None if it did not."""
    text = log.read_text(errors="replace") if log.exists() else ""
    at = text.find("panicked")
    return None if at < 0 else text[text.rfind("\n", 0, at) + 1 :][:SHOWN_OF_A_PANIC]


class Servers(Protocol):
    """What serves the ladder: a server, or several over one database."""

    store: list[str]
    """The flags by which a command finds their store."""
    urls: list[str]
    """Where commands reach each of them."""
    bots_url: str
    """Where bots reach them: through proxies."""

    def kill(self, luck: random.Random) -> None:
        """Kill one, and start it again."""

    def cut(self, pick: float, how: Cut) -> bool:
        """Cut a connection of a bot, a number from 0 to 1 telling which; say if there was one."""

    def accepted(self) -> int:
        """Return how many connections of bots there were."""

    def must_run(self) -> None:
        """Fail if one has ended as it may not."""

    def check_logs(self) -> None:
        """Fail if one panicked."""

    def spent_s(self) -> float:
        """Return the processor time of all that ran."""

    def end(self) -> None:
        """End all."""


class Served:
    """The server over a folder, always at one address."""

    START_S = 60.0

    def __init__(self, program: Path, folder: Path) -> None:
        """Start it."""
        self._folder = folder
        self.store = ["--data", str(folder / "data")]
        command = [str(program), "serve", *self.store, "--require-keys", "--listen", "127.0.0.1:0"]
        self._running = Running("the server", command, self._log(1))
        self._url = self._listens()
        self.urls = [self._url]
        # The next ones are to be found where this one was.
        self._running.command[-1] = self._url.removeprefix("http://")
        self._links = Links()
        self._links.lead_to(self._url)
        self.bots_url = self._links.url

    @property
    def starts(self) -> int:
        """How many there were."""
        return self._running.starts

    def kill(self, luck: random.Random) -> None:
        """Kill it, now and then once more while it starts, and start it again."""
        self._links.lead_to(None)
        self._running.kill()
        if luck.random() < KILLED_WHILE_STARTING:
            self._start()
            # A moment as good as any other, which no condition tells.
            time.sleep(luck.random() * STARTING_S)
            self._running.kill()
        self._start()
        self._listens()
        self._links.lead_to(self._url)

    def cut(self, pick: float, how: Cut) -> bool:
        """Cut a connection of a bot, a number from 0 to 1 telling which; say if there was one."""
        return self._links.cut(pick, how)

    def accepted(self) -> int:
        """Return how many connections of bots there were."""
        return self._links.accepted

    def must_run(self) -> None:
        """Fail if it has ended by itself."""
        self._running.must_run()

    def check_logs(self) -> None:
        """Fail if one of them panicked."""
        for number in range(1, self.starts + 1):
            if panic := panic_in(self._log(number)):
                raise FailedError(f"a server panicked: {self._log(number)}\n{panic}")

    def spent_s(self) -> float:
        """Return the processor time of all servers."""
        return self._running.spent_s()

    def end(self) -> None:
        """End it."""
        self._running.end()

    def _log(self, number: int) -> Path:
        return self._folder / f"server-{number:03}.log"

    def _start(self) -> None:
        self._running.log = self._log(self.starts + 1)
        self._running.start()

    def _listens(self) -> str:
        """Wait until the newest server has said where it listens."""

        def said() -> re.Match[str] | None:
            return re.search(r"http://127\.0\.0\.1:\d+", self._running.log.read_text())

        def is_there() -> bool:
            self._running.must_run()
            return said() is not None

        until(is_there, self.START_S)
        match = said()
        return match[0] if match else ""
