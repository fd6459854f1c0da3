"""Servers under measurement: one over a data folder, or nodes over a PostgreSQL of their own."""

import os
import secrets
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from language_tests.database import Postgres
from language_tests.ports import free_port
from language_tests.processes import FailedError, until

from .numbers import Numbers
from .spent import children, memory_kib, spent_s, tree_spent_s

LIMITS = """[limits]
open_matches = {open_matches}
calls_per_address = {{ per_second = 1000000, burst = 1000000 }}
bot_streams = 100000
"""
"""All bots come from one address, and all matches too."""


class Server:
    """A server in a process of its own."""

    def __init__(
        self, program: Path, folder: Path, name: str, flags: Sequence[str], *, is_node: bool = False
    ) -> None:
        """Prepare it, perhaps as a node of this name; it does not run yet."""
        self.name, self._log = name, folder / f"{name}.log"
        self.address, self.metrics = (f"127.0.0.1:{free_port()}" for _ in range(2))
        self._command = [str(program), "serve", "--listen", self.address, "--no-page", *flags]
        self._command += ["--metrics", self.metrics, "--config", str(folder / "limits.toml")]
        if is_node:
            self._command += ["--node", name, "--advertise", self.address]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it may not listen yet."""
        environment = {key: value for key, value in os.environ.items() if key != "RUST_LOG"}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def listens(self) -> bool:
        """Tell whether it listens; fail if it has ended."""
        if self._process is None or self._process.poll() is not None:
            raise FailedError(f"{self.name} ended: {self._log.read_text()[-2000:]}")
        return "listening on" in self._log.read_text()

    @property
    def url(self) -> str:
        """Where bots reach it."""
        return f"http://{self.address}"

    @property
    def pid(self) -> int:
        """Its process."""
        if self._process is None:
            raise FailedError(f"{self.name} does not run")
        return self._process.pid

    def kill(self) -> None:
        """Kill it, if it runs: nothing of it goes on."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def log(self) -> str:
        """Return what it has said."""
        return self._log.read_text(errors="replace")


class Setup:
    """Some servers with what they store in."""

    def __init__(self, name: str, servers: list[Server], postgres: Postgres | None = None) -> None:
        """Start them, and wait until they listen."""
        self.name, self.servers, self.postgres = name, servers, postgres
        for server in servers:
            server.start()
            until(server.listens)

    def numbers(self) -> Numbers:
        """Read what those tell that run."""
        return Numbers.read(server.metrics for server in self.servers)

    def spent_s(self) -> tuple[float, float]:
        """Return the processor time of servers and of the database."""
        database = tree_spent_s(self.postgres.pid) if self.postgres else 0.0
        return sum(spent_s(server.pid) for server in self.servers), database

    def database_memory_kib(self) -> int:
        """Return the memory of the database, what its processes share counted once."""
        if self.postgres is None:
            return 0
        pids = [self.postgres.pid, *children(self.postgres.pid)]
        return sum(map(memory_kib, pids))

    def wal_bytes(self) -> int:
        """Return what the database has written to its log so far."""
        if self.postgres is None:
            return 0
        return int(self.postgres.ask("SELECT wal_bytes FROM pg_stat_wal")[0]["wal_bytes"])

    def size_bytes(self) -> int:
        """Return the size of the database."""
        if self.postgres is None:
            return 0
        size = "SELECT pg_database_size(current_database()) AS bytes"
        return int(self.postgres.ask(size)[0]["bytes"])

    def end(self) -> None:
        """End all."""
        for server in self.servers:
            server.kill()
        if self.postgres is not None:
            self.postgres.stop(signal.SIGINT)


def with_limits(folder: Path, open_matches: int) -> Path:
    """Make a folder with the limits of servers in it."""
    folder.mkdir()
    # The user who runs the database goes through it.
    folder.chmod(0o755)
    (folder / "limits.toml").write_text(LIMITS.format(open_matches=open_matches))
    return folder


def on_sqlite(program: Path, folder: Path) -> Setup:
    """Start one server over a data folder."""
    flags = ["--data", str(folder / "data"), "--survives", "power"]
    return Setup("one, SQLite", [Server(program, folder, "alone", flags)])


def on_postgres(
    program: Path, folder: Path, name: str, nodes: Sequence[str], **settings: str
) -> Setup:
    """Start nodes over a PostgreSQL that brings each commit to the disk."""
    postgres = made_postgres(folder, **settings)
    servers = []
    for node in nodes:
        servers.append(Server(program, folder, node, ["--store", postgres.url()], is_node=True))
    return Setup(name, servers, postgres)


def made_postgres(folder: Path, **settings: str) -> Postgres:
    """Start a PostgreSQL with an empty database, as it is installed but for these settings."""
    database = folder / "database"
    database.mkdir()
    postgres = Postgres(database, secrets.token_hex(16), fsync="on", **settings)
    postgres.start()
    postgres.make_database()
    return postgres
