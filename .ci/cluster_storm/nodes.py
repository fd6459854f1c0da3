"""The three nodes: their processes, the links to the database, and who starts them again."""

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ladder_storm.links import Links
from ladder_storm.running import panic_in, spent_s
from language_tests.database import Postgres
from language_tests.ports import free_port
from language_tests.processes import FailedError, until

NAMES = ("one", "two", "three")
USUAL_DELAY_S = 0.008
"""What the way between a node and the database takes: so a match lasts long enough to be hit."""
FAKETIME = tuple(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
"""What gives one node another clock, where it is installed."""
LOOK_S = 0.1
"""How often it is looked whether a node has ended."""
RESTART_S = 1.0
"""Pause before a node that has ended is started again."""
GOOD_REASONS = ("taken over by another server", "cannot be used", "it does not answer")
"""What the last line of a node may say that ends by itself: the first ones say more."""


@dataclass
class Standstill:
    """A time for which a node was stopped."""

    begun: float
    ended: float = float("inf")


class Node:
    """A node, and all servers that were it."""

    def __init__(
        self, name: str, program: Path, folder: Path, postgres: Postgres, *flags: str
    ) -> None:
        """Prepare it, with flags of its own; nothing runs yet."""
        self.name = name
        self._program, self._folder, self._flags = program, folder, flags
        self.link = Links()
        self.database = f"http://127.0.0.1:{postgres.port}"
        self.link.lead_to(self.database)
        self.link.delay(USUAL_DELAY_S)
        self.address = f"127.0.0.1:{free_port()}"
        self.url = f"http://{self.address}"
        self.advertised = self.address
        self.starts = 0
        self.standstills: list[Standstill] = []
        self.ended_by_itself: Counter[str] = Counter()
        self.is_down_on_purpose = False
        self.clock = folder / f"clock-of-{name}" if name == NAMES[-1] and FAKETIME else None
        self._store = postgres.url(self.link.port, is_checked=self.clock is None)
        self._process: subprocess.Popen[bytes] | None = None
        self._ended_at: float | None = None
        self._spent_s = 0.0
        self.busy = threading.Lock()
        """Held by the trouble that it has."""
        self._lock = threading.RLock()

    def start(self) -> None:
        """Start a server."""
        with self._lock:
            self.starts += 1
            self._ended_at = None
            command = [str(self._program), "serve", "--node", self.name, "--no-page"]
            command += ["--listen", self.address, "--advertise", self.advertised]
            command += ["--drain-time", "0", *self._flags]
            process = f"{self.name}-{self.starts}"
            variables = {
                "BRIDGEMASTER_STORE": f"{self._store}&options[storm.process]={process}",
                "RUST_BACKTRACE": "1",
                **self._own_clock(),
            }
            environment = {key: value for key, value in os.environ.items() if key != "RUST_LOG"}
            with self._log(self.starts).open("wb") as log:
                self._process = subprocess.Popen(
                    command,
                    env=environment | variables,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )

    def is_listening(self) -> bool:
        """Tell whether the newest server has said where it listens."""
        with self._lock:
            return "http://" in self._log(self.starts).read_text(errors="replace")

    def kill(self) -> None:
        """Kill the server: nothing of it runs any more."""
        with self._lock:
            self.is_down_on_purpose = True
            if self._process is not None:
                self._spent_s += spent_s(self._process.pid)
                self._process.kill()
                self._process.wait()

    def start_again(self) -> None:
        """Start one in the place of the one that was killed."""
        with self._lock:
            self.is_down_on_purpose = False
            self.start()

    def stand_still(self) -> None:
        """Stop the server between any two instructions."""
        with self._lock:
            self.standstills.append(Standstill(time.time()))
            self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let the server go on as if nothing had been."""
        with self._lock:
            self._signal(signal.SIGCONT)
            self.standstills[-1].ended = time.time()

    def jump(self, by_s: int) -> None:
        """Set the clock of the server to so much from the true time."""
        if self.clock is not None:
            self.clock.write_text(f"{by_s:+d}\n")

    def tend(self) -> None:
        """Start it again where it has ended by itself, as a system does; it must have said why."""
        with self._lock:
            if self.is_down_on_purpose or self._process is None or self._process.poll() is None:
                return
            if self._ended_at is None:
                self._ended_at = time.monotonic()
                self._note_why()
            elif time.monotonic() - self._ended_at > RESTART_S:
                self.start()

    def _note_why(self) -> None:
        said = self._log(self.starts).read_text(errors="replace").strip()
        last = said.splitlines()[-1] if said else ""
        reason = next((reason for reason in GOOD_REASONS if reason in last), None)
        code = self._process.returncode if self._process is not None else None
        if code != 1 or reason is None:
            raise FailedError(f"{self.name}-{self.starts} ended with {code}: {said[-2000:]}")
        self.ended_by_itself[reason] += 1

    def spent_s(self) -> float:
        """Return the processor time of all servers that it was, but of those that ended."""
        with self._lock:
            return self._spent_s + (spent_s(self._process.pid) if self._process else 0.0)

    def check_logs(self) -> list[str]:
        """Return which servers panicked, and how."""
        logs = [self._log(number) for number in range(1, self.starts + 1)]
        said = [(log, panic_in(log)) for log in logs]
        return [f"a server panicked: {log}\n{panic}" for log, panic in said if panic]

    def end(self) -> None:
        """End it."""
        self.kill()

    def _signal(self, which: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(which)

    def _own_clock(self) -> dict[str, str]:
        if self.clock is None:
            return {}
        if not self.clock.exists():
            self.jump(0)
        return {
            "LD_PRELOAD": str(FAKETIME[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_CACHE_DURATION": "1",
            # A clock that may jump is one of the day's time.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def _log(self, number: int) -> Path:
        return self._folder / f"{self.name}-{number:03}.log"


class Nodes:
    """All of them, tended by a thread."""

    def __init__(self, program: Path, folder: Path, postgres: Postgres, *flags: str) -> None:
        """Prepare them."""
        self.all = [Node(name, program, folder, postgres, *flags) for name in NAMES]
        self._failure: FailedError | None = None
        self._is_over = threading.Event()
        self._tending = threading.Thread(target=self._tend, daemon=True)

    @property
    def urls(self) -> str:
        """Every address, as bots are given them."""
        return ",".join(node.url for node in self.all)

    def start(self) -> None:
        """Start them, and wait until they listen."""
        for node in self.all:
            node.start()
        until(lambda: all(node.is_listening() for node in self.all))
        self._tending.start()

    def must_be_well(self) -> None:
        """Fail if one has ended as none may."""
        if self._failure is not None:
            raise self._failure

    def end(self) -> None:
        """End all."""
        self._is_over.set()
        for node in self.all:
            node.end()

    def _tend(self) -> None:
        while not self._is_over.wait(LOOK_S):
            try:
                for node in self.all:
                    node.tend()
            except FailedError as failure:
                self._failure = failure
                return
