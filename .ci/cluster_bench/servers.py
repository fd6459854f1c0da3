"""Measured servers: one with a data folder, or nodes with their own PostgreSQL."""

import os
import secrets
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from language_tests.database import Postgres
from language_tests.ports import free_port
from language_tests.processes import FailedError, wait_until

from .cpu import children, cpu_s, memory_kib, tree_cpu_s
from .metrics import Metrics

LIMITS = """[limits]
open_matches = {open_matches}
calls_per_address = {{ per_second = 1000000, burst = 1000000 }}
bot_streams = 100000
"""
"""High limits, since all bots and all matches come from one address."""


class Server:
    """A server process."""

    def __init__(
        self, program: Path, folder: Path, name: str, flags: Sequence[str], *, is_node: bool = False
    ) -> None:
        """Prepare the server, optionally as a node of this name, without starting it."""
        self.name, self._log = name, folder / f"{name}.log"
        self.address, self.metrics = (f"127.0.0.1:{free_port()}" for _ in range(2))
        self._command = [str(program), "serve", "--listen", self.address, "--no-page", *flags]
        self._command += ["--metrics", self.metrics, "--config", str(folder / "limits.toml")]
        if is_node:
            self._command += ["--node", name, "--node-address", self.address]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, without waiting until it is listening."""
        environment = {key: value for key, value in os.environ.items() if key != "RUST_LOG"}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def is_listening(self) -> bool:
        """Return whether the server is listening; fail if it has exited."""
        if self._process is None or self._process.poll() is not None:
            raise FailedError(f"{self.name} exited: {self._log.read_text()[-2000:]}")
        return "listening on" in self._log.read_text()

    @property
    def url(self) -> str:
        """Return the address for bots."""
        return f"http://{self.address}"

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        if self._process is None:
            raise FailedError(f"{self.name} is not running")
        return self._process.pid

    def kill(self) -> None:
        """Kill the process if it is running."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def log(self) -> str:
        """Return the output of the process."""
        return self._log.read_text(errors="replace")


class Setup:
    """Servers with their store."""

    def __init__(self, name: str, servers: list[Server], postgres: Postgres | None = None) -> None:
        """Start the servers, and wait until they are listening."""
        self.name, self.servers, self.postgres = name, servers, postgres
        for server in servers:
            server.start()
            wait_until(server.is_listening)

    def metrics(self) -> Metrics:
        """Read the metrics of all servers."""
        return Metrics.read(server.metrics for server in self.servers)

    def cpu_s(self) -> tuple[float, float]:
        """Return the CPU times of the servers and of the database."""
        database = tree_cpu_s(self.postgres.pid) if self.postgres else 0.0
        return sum(cpu_s(server.pid) for server in self.servers), database

    def database_memory_kib(self) -> int:
        """Return the memory of the database, with shared memory counted once."""
        if self.postgres is None:
            return 0
        pids = [self.postgres.pid, *children(self.postgres.pid)]
        return sum(map(memory_kib, pids))

    def wal_bytes(self) -> int:
        """Return the number of bytes written to the WAL so far."""
        if self.postgres is None:
            return 0
        return int(self.postgres.query("SELECT wal_bytes FROM pg_stat_wal")[0]["wal_bytes"])

    def size_bytes(self) -> int:
        """Return the size of the database."""
        if self.postgres is None:
            return 0
        size = "SELECT pg_database_size(current_database()) AS bytes"
        return int(self.postgres.query(size)[0]["bytes"])

    def end(self) -> None:
        """End servers and database."""
        for server in self.servers:
            server.kill()
        if self.postgres is not None:
            self.postgres.stop(signal.SIGINT)


def with_limits(folder: Path, open_matches: int) -> Path:
    """Create a folder with a config file that sets the limits."""
    folder.mkdir()
    # The database user must be able to enter it.
    folder.chmod(0o755)
    (folder / "limits.toml").write_text(LIMITS.format(open_matches=open_matches))
    return folder


def on_sqlite(program: Path, folder: Path) -> Setup:
    """Start one server with a data folder."""
    flags = ["--data", str(folder / "data"), "--durability", "disk"]
    return Setup("one, SQLite", [Server(program, folder, "alone", flags)])


def on_postgres(
    program: Path, folder: Path, name: str, nodes: Sequence[str], **settings: str
) -> Setup:
    """Start nodes with a PostgreSQL that flushes each commit to disk."""
    postgres = create_postgres(folder, **settings)
    servers = []
    for node in nodes:
        servers.append(Server(program, folder, node, ["--store", postgres.url()], is_node=True))
    return Setup(name, servers, postgres)


def create_postgres(folder: Path, **settings: str) -> Postgres:
    """Start a PostgreSQL with an empty database, and default settings except for these."""
    database = folder / "database"
    database.mkdir()
    postgres = Postgres(database, secrets.token_hex(16), fsync="on", **settings)
    postgres.start()
    postgres.create_database()
    return postgres
