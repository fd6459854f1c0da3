"""Bots and a server that are killed and restarted, with their CPU times."""

import os
import random
import re
import subprocess
import time
from pathlib import Path
from typing import Protocol

from language_tests.processes import TOP, FailedError, wait_until

from .proxy import Cut, Proxy

TICKS = os.sysconf("SC_CLK_TCK")
KILLED_WHILE_STARTING = 0.25
"""The share of kills of a server after which it is killed again during its start."""
STARTING_S = 0.06
"""Maximum time from the start to that second kill, in seconds."""
DURABILITIES = ("disk", "process")
"""The values of `--durability`, used in turn; with both, commits survive a SIGKILL."""
STOP_S = 120.0
"""Maximum time in which a stopped server exits, in seconds."""
MAX_PANIC_LENGTH = 4000
"""Length of a printed panic in characters: the message and the relevant frames."""


class RestartableProcess:
    """A process that can be restarted, with the CPU time of all its instances."""

    def __init__(self, name: str, command: list[str], log: Path, **variables: str) -> None:
        """Start the process; its output is appended to the log."""
        self.name = name
        self.command = command
        self.log = log
        self._variables = variables
        self._cpu_s = 0.0
        self.starts = 0
        self.start()

    def start(self) -> None:
        """Start or restart the process."""
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

    def check_running(self) -> None:
        """Fail if the process has exited by itself."""
        if self._process.poll() is not None:
            raise FailedError(f"{self.name} exited by itself:\n{self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        """Kill the process."""
        self.check_running()
        self._cpu_s += self._current_cpu_s()
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Stop the process, which must exit without an error."""
        self.check_running()
        self._process.terminate()
        if code := self._process.wait(STOP_S):
            raise FailedError(f"{self.name} exited with {code}:\n{self.log.read_text()[-2000:]}")

    def cpu_s(self) -> float:
        """Return the CPU time of this process and its predecessors."""
        return self._cpu_s + self._current_cpu_s()

    def _current_cpu_s(self) -> float:
        return cpu_s(self._process.pid)

    def end(self) -> None:
        """Kill the process if it is running."""
        if self._process.poll() is None:
            self._cpu_s += self._current_cpu_s()
            self._process.kill()
            self._process.wait()


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process; 0 if it has exited."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    # The fields after the name, which can contain blanks; fields 14 and 15 of the line.
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def panic_in(log: Path) -> str | None:
    """Return the panic in the log of a server; None if it did not panic."""
    text = log.read_text(errors="replace") if log.exists() else ""
    at = text.find("panicked")
    return None if at < 0 else text[text.rfind("\n", 0, at) + 1 :][:MAX_PANIC_LENGTH]


class Servers(Protocol):
    """The servers of a ladder: one, or several with one database."""

    store: list[str]
    """The flags of a command for their store."""
    urls: list[str]
    """The address of each server for commands."""
    bots_url: str
    """The addresses for bots, with proxies."""

    def kill(self, luck: random.Random) -> None:
        """Kill a server, and restart it."""

    def cut(self, pick: float, how: Cut) -> bool:
        """Cut a connection of a bot, chosen by a number from 0 to 1; false if there is none."""

    def accepted(self) -> int:
        """Return the number of accepted connections of bots."""

    def check(self) -> None:
        """Fail if a server exited without a valid reason."""

    def check_logs(self) -> None:
        """Fail if a server panicked."""

    def cpu_s(self) -> float:
        """Return the CPU time of all servers."""

    def end(self) -> None:
        """End all servers."""


class SingleServer:
    """One server with a data folder, always at the same address."""

    START_S = 60.0

    def __init__(self, program: Path, folder: Path, *flags: str) -> None:
        """Start the server, with these flags or those of a ladder."""
        self._folder = folder
        self.store = ["--data", str(folder / "data")]
        flags = (*self.store, *(flags or ("--require-keys",)))
        listen = ("--durability", DURABILITIES[0], "--listen", "127.0.0.1:0")
        command = [str(program), "serve", *flags, *listen]
        self.kills_while_starting = 0
        self._running = RestartableProcess("the server", command, self._log(1))
        self._url = self._wait_for_address()
        self.urls = [self._url]
        # Restarts use the same address.
        self._running.command[-1] = self._url.removeprefix("http://")
        self._proxy = Proxy()
        self._proxy.forward_to(self._url)
        self.bots_url = self._proxy.url

    @property
    def starts(self) -> int:
        """Return the number of starts."""
        return self._running.starts

    def kill(self, luck: random.Random) -> None:
        """Kill and restart the server; sometimes it is killed again during its start."""
        self._proxy.forward_to(None)
        self._running.kill()
        if luck.random() < KILLED_WHILE_STARTING:
            self.kills_while_starting += 1
            self._start()
            # A random moment, since no condition can be waited for.
            time.sleep(luck.random() * STARTING_S)
            self._running.kill()
        self._start()
        self._wait_for_address()
        self._proxy.forward_to(self._url)

    def cut(self, pick: float, how: Cut) -> bool:
        """Cut a connection of a bot, chosen by a number from 0 to 1; false if there is none."""
        return self._proxy.cut(pick, how)

    def accepted(self) -> int:
        """Return the number of accepted connections of bots."""
        return self._proxy.accepted

    def check(self) -> None:
        """Fail if the server exited by itself."""
        self._running.check_running()

    def check_logs(self) -> None:
        """Fail if the server panicked."""
        for number in range(1, self.starts + 1):
            if panic := panic_in(self._log(number)):
                raise FailedError(f"a server panicked: {self._log(number)}\n{panic}")

    def cpu_s(self) -> float:
        """Return the CPU time of all server processes."""
        return self._running.cpu_s()

    def stop(self) -> None:
        """Stop the server, which must exit without an error."""
        self._running.stop()

    def last_log(self) -> str:
        """Return the end of the log of the newest server process."""
        return self._log(self.starts).read_text(errors="replace")[-MAX_PANIC_LENGTH:]

    def end(self) -> None:
        """End the server."""
        self._running.end()

    def _log(self, number: int) -> Path:
        return self._folder / f"server-{number:03}.log"

    def _start(self) -> None:
        self._running.log = self._log(self.starts + 1)
        self._running.command[-3] = DURABILITIES[self.starts % 2]
        self._running.start()

    def _wait_for_address(self) -> str:
        """Wait until the newest server process has printed its address."""

        def address() -> re.Match[str] | None:
            return re.search(r"http://127\.0\.0\.1:\d+", self._running.log.read_text())

        def is_listening() -> bool:
            self._running.check_running()
            return address() is not None

        wait_until(is_listening, self.START_S)
        match = address()
        return match[0] if match else ""
