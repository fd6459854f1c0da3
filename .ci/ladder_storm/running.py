"""Processes that are killed and started again, with the processor time that all of them took."""

import os
import random
import re
import subprocess
import time
from pathlib import Path

from language_tests.processes import TOP, FailedError, until

TICKS = os.sysconf("SC_CLK_TCK")
KILLED_WHILE_STARTING = 0.25
"""Share of the kills of a server after which the next one is killed while it starts."""
STARTING_S = 0.06
"""How long after its start that is at most."""


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
        try:
            text = Path(f"/proc/{self._process.pid}/stat").read_text()
        except OSError:
            return 0.0
        # Behind the name, which may have blanks; the 14th and 15th field of all.
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def end(self) -> None:
        """End it, if it runs."""
        if self._process.poll() is None:
            self._spent_s += self._spent_now_s()
            self._process.kill()
            self._process.wait()


class Served:
    """The server over a folder, always at one address."""

    START_S = 60.0

    def __init__(self, program: Path, folder: Path) -> None:
        """Start it."""
        self._folder = folder
        data = str(folder / "data")
        self._command = [str(program), "serve", "--data", data, "--require-keys", "--listen"]
        command = [*self._command, "127.0.0.1:0"]
        self._running = Running("the server", command, self._log(1))
        self.url = self._listens()
        # The next ones are to be found where this one was.
        self._running.command[-1] = self.url.removeprefix("http://")

    @property
    def starts(self) -> int:
        """How many there were."""
        return self._running.starts

    def kill(self, luck: random.Random) -> None:
        """Kill it, now and then once more while it starts, and start it again."""
        self._running.kill()
        if luck.random() < KILLED_WHILE_STARTING:
            self._start()
            # A moment as good as any other, which no condition tells.
            time.sleep(luck.random() * STARTING_S)
            self._running.kill()
        self._start()
        self._listens()

    def must_run(self) -> None:
        """Fail if it has ended by itself."""
        self._running.must_run()

    def check_logs(self) -> None:
        """Fail if one of them panicked."""
        for number in range(1, self.starts + 1):
            if "panicked" in self._log(number).read_text(errors="replace"):
                raise FailedError(f"a server panicked: {self._log(number)}")

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
