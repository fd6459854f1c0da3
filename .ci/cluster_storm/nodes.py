"""The nodes: their processes, their connections to the database, and their restarts."""

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from ladder_storm.proxy import Proxy
from ladder_storm.running import cpu_s, panic_in
from language_tests.database import Postgres
from language_tests.ports import free_port
from language_tests.processes import FailedError, wait_until

NAMES = ("one", "two", "three")
FORWARDER = "forwarder"
"""The name of the node through which some bots connect."""
USUAL_DELAY_S = 0.008
"""Usual delay between a node and the database, in seconds; it makes matches last longer."""
FAKETIME = tuple(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
"""The library that gives one node another clock, if it is installed."""
POLL_INTERVAL_S = 0.1
"""Interval at which nodes are checked for their exit, in seconds."""
RESTART_S = 1.0
"""Pause before an exited node is restarted, in seconds."""
VALID_REASONS = ("taken over by another server", "cannot be used", "no response in time")
"""Valid reasons in the last line of a node that exits by itself, the more specific ones first."""


class Node:
    """A node, with all its server processes one after the other."""

    def __init__(
        self, name: str, program: Path, folder: Path, postgres: Postgres, *flags: str
    ) -> None:
        """Prepare the node with additional flags, without starting it."""
        self.name = name
        self._program, self._folder, self._flags = program, folder, flags
        self.proxy = Proxy()
        self.database = f"http://127.0.0.1:{postgres.port}"
        self.proxy.forward_to(self.database)
        self.proxy.delay(USUAL_DELAY_S)
        self.address = f"127.0.0.1:{free_port()}"
        self.url = f"http://{self.address}"
        self.starts = 0
        self.ends: dict[str, float] = {}
        """The time at which each server process was killed, or was found to have exited."""
        self.killed: list[float] = []
        self.exits: Counter[str] = Counter()
        self.is_down_on_purpose = False
        self.clock = folder / f"clock-of-{name}" if name == NAMES[-1] and FAKETIME else None
        self._store = postgres.url(self.proxy.port, is_checked=self.clock is None)
        self._process: subprocess.Popen[bytes] | None = None
        self._ended_at: float | None = None
        self._cpu_s = 0.0
        self.busy = threading.Lock()
        """Held by the current disruption of the node."""
        self._lock = threading.RLock()

    def start(self) -> None:
        """Start a server process."""
        with self._lock:
            self.starts += 1
            self._ended_at = None
            command = [str(self._program), "serve", "--node", self.name, "--no-page"]
            command += ["--listen", self.address, "--node-address", self.address]
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
        """Return whether the newest server process is listening."""
        with self._lock:
            return "http://" in self._log(self.starts).read_text(errors="replace")

    def kill(self) -> None:
        """Kill the server process."""
        with self._lock:
            self.is_down_on_purpose = True
            if self._process is not None:
                if self._process.poll() is None:
                    self.killed.append(time.time())
                self._record_end()
                self._cpu_s += cpu_s(self._process.pid)
                self._process.kill()
                self._process.wait()

    def restart(self) -> None:
        """Start a server process after `kill`."""
        with self._lock:
            self.is_down_on_purpose = False
            self.start()

    def suspend(self) -> None:
        """Suspend the server process."""
        with self._lock:
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Resume the server process."""
        with self._lock:
            self._signal(signal.SIGCONT)

    def jump(self, by_s: int) -> None:
        """Set the clock of the server to this offset from the true time."""
        if self.clock is not None:
            self.clock.write_text(f"{by_s:+d}\n")

    def supervise(self) -> None:
        """Restart the process if it exited by itself; fail if it exited without a valid reason."""
        with self._lock:
            if self.is_down_on_purpose or self._process is None or self._process.poll() is None:
                return
            if self._ended_at is None:
                self._ended_at = time.monotonic()
                self._record_exit()
            elif time.monotonic() - self._ended_at > RESTART_S:
                self.start()

    def _record_end(self) -> None:
        self.ends.setdefault(f"{self.name}-{self.starts}", time.time())

    def _record_exit(self) -> None:
        self._record_end()
        log = self._log(self.starts).read_text(errors="replace").strip()
        # Summaries of suppressed lines can follow the error.
        errors = [line for line in log.splitlines() if line.startswith("error: ")]
        last = errors[-1] if errors else ""
        reason = next((reason for reason in VALID_REASONS if reason in last), None)
        code = self._process.returncode if self._process is not None else None
        if code != 1 or reason is None:
            raise FailedError(f"{self.name}-{self.starts} exited with {code}: {log[-2000:]}")
        self.exits[reason] += 1

    def cpu_s(self) -> float:
        """Return the CPU time of the node, without processes that exited by themselves."""
        with self._lock:
            return self._cpu_s + (cpu_s(self._process.pid) if self._process else 0.0)

    def check_logs(self) -> list[str]:
        """Return the panics of all processes."""
        logs = [self._log(number) for number in range(1, self.starts + 1)]
        panics = [(log, panic_in(log)) for log in logs]
        return [f"a server panicked: {log}\n{panic}" for log, panic in panics if panic]

    def end(self) -> None:
        """Kill the process."""
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
            # Only the time of day jumps, not the monotonic clock.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def _log(self, number: int) -> Path:
        return self._folder / f"{self.name}-{number:03}.log"


class Nodes:
    """All nodes, supervised by a thread."""

    def __init__(self, program: Path, folder: Path, postgres: Postgres, *flags: str) -> None:
        """Prepare the nodes."""
        self.all = [Node(name, program, folder, postgres, *flags) for name in NAMES]
        self.forwarder = Node(FORWARDER, program, folder, postgres, *flags)
        """Started only by `start_forwarder`."""
        self._failure: FailedError | None = None
        self._is_over = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)

    @property
    def urls(self) -> str:
        """Return the addresses of all nodes, in the format for bots."""
        return ",".join(node.url for node in self.all)

    @property
    def ends(self) -> dict[str, float]:
        """Return the time at which each server process ended."""
        every = [*self.all, self.forwarder]
        return {process: at for node in every for process, at in node.ends.items()}

    def start(self) -> None:
        """Start the nodes, and wait until they are listening."""
        for node in self.all:
            node.start()
        wait_until(lambda: all(node.is_listening() for node in self.all))
        self._supervisor.start()

    def start_forwarder(self) -> None:
        """Start the forwarding node, and wait until it is listening."""
        self.forwarder.start()
        wait_until(self.forwarder.is_listening)

    def check(self) -> None:
        """Fail if a node exited without a valid reason."""
        if self._failure is not None:
            raise self._failure

    def end(self) -> None:
        """End all nodes."""
        self._is_over.set()
        for node in [*self.all, self.forwarder]:
            node.end()

    def _supervise(self) -> None:
        while not self._is_over.wait(POLL_INTERVAL_S):
            try:
                for node in [*self.all, self.forwarder]:
                    node.supervise()
            except FailedError as failure:
                self._failure = failure
                return
