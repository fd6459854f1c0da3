"""A PostgreSQL server in a temporary folder, with TLS, and with a user and database of one name."""

import csv
import io
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .ports import free_port
from .processes import FailedError, wait_until

USER = "bridgemaster"
NOBODY = 65_534
"""The user that runs PostgreSQL, which refuses to run as root."""


def programs() -> Path | None:
    """Return the folder with the PostgreSQL programs: Debian's newest, or that in PATH."""
    installed = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = sorted(installed, key=lambda path: int(path.parts[-3]))
    if newest:
        return newest[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


class Postgres:
    """A PostgreSQL server that can be stopped and restarted, always at the same port."""

    def __init__(self, folder: Path, password: str, **settings: str) -> None:
        """Create the data folder, without starting the server. fsync is off by default."""
        self.port, programs_found = free_port(), programs()
        if programs_found is None:
            raise FailedError("PostgreSQL is not installed: install the Debian package postgresql")
        self._programs, self._folder, self._password = programs_found, folder, password
        self._settings = {"fsync": "off"} | settings
        self._become = unprivileged(folder)
        secret = folder / "password"
        secret.write_text(password)
        initdb: list[str | Path] = [
            self._programs / "initdb",
            "--no-sync",
            "--auth=scram-sha-256",
            f"--username={USER}",
        ]
        initdb += [f"--pwfile={secret}", "--encoding=UTF8", "--locale=C", "-D", folder / "data"]
        if os.getuid() == 0:
            os.chown(secret, NOBODY, NOBODY)
        done = subprocess.run([*self._become, *initdb], capture_output=True, text=True, cwd=folder)
        if done.returncode != 0:
            raise FailedError(f"initdb: {done.stderr}")
        self._make_certificate()
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, port: int | None = None, *, is_checked: bool = True) -> str:
        """Return the address with TLS, optionally through a proxy at another port.

        With `is_checked=False` the certificate is not verified: a client whose clock is wrong by
        days would reject it, since it has just been created.
        """
        at = f"postgres://{USER}:{self._password}@127.0.0.1:{port or self.port}/{USER}"
        checked = f"verify-full&sslrootcert={self._certificate}"
        return f"{at}?sslmode={checked if is_checked else 'require'}"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self._launch()

        def answers() -> bool:
            # After a kill, the old processes exit with a delay. Until then, a start fails.
            if self._process is None or self._process.poll() is not None:
                self._launch()
            return self.run("psql", "--dbname=postgres", "-c", "SELECT 1").returncode == 0

        wait_until(answers)

    def create_database(self) -> None:
        """Create the database with the name of the user."""
        made = self.run("createdb", "--maintenance-db=postgres", USER)
        if made.returncode != 0:
            raise FailedError(f"createdb: {made.stderr}")

    @property
    def pid(self) -> int:
        """Return the id of the main process."""
        if self._process is None:
            raise FailedError("PostgreSQL is not running")
        return self._process.pid

    def stop(self, how: signal.Signals) -> None:
        """Stop the server: SIGINT closes connections, SIGQUIT and SIGKILL simulate a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()

    def query(self, statements: str) -> list[dict[str, str]]:
        """Run statements, and return the rows of the last one."""
        flags = ("-X", "--quiet", "--csv", "--set=ON_ERROR_STOP=1")
        done = self.run("psql", *flags, f"--dbname={USER}", "-c", statements)
        if done.returncode != 0:
            raise FailedError(f"psql: {done.stderr}")
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a PostgreSQL client program."""
        at = ["--host=127.0.0.1", f"--port={self.port}", f"--username={USER}"]
        return subprocess.run(
            [self._programs / program, *at, *arguments],
            env=os.environ | {"PGPASSWORD": self._password},
            capture_output=True,
            text=True,
        )

    def _make_certificate(self) -> None:
        self._certificate, key = self._folder / "server.crt", self._folder / "server.key"
        command: list[str | Path] = ["openssl", "req", "-x509", "-days", "2", "-nodes"]
        command += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        command += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        command += ["-addext", "basicConstraints=critical,CA:FALSE"]
        command += ["-keyout", key, "-out", self._certificate]
        done = subprocess.run([*self._become, *command], capture_output=True, text=True)
        if done.returncode != 0:
            raise FailedError(f"openssl: {done.stderr}")

    def check_tls(self) -> None:
        """Fail if a client is connected without TLS."""
        clear = self.query(
            "SELECT datname FROM pg_stat_ssl NATURAL JOIN pg_stat_activity WHERE NOT ssl"
        )
        if any(row["datname"] for row in clear):
            raise FailedError(f"clients are connected to the database without TLS: {clear}")

    def _launch(self) -> None:
        serve: list[str | Path] = [
            self._programs / "postgres",
            *("-D", self._folder / "data", "-p", str(self.port), "-k", self._folder),
            *("-c", "listen_addresses=127.0.0.1", "-c", "ssl=on"),
            *("-c", f"ssl_cert_file={self._certificate}"),
            *("-c", f"ssl_key_file={self._folder / 'server.key'}"),
            *(f"--{name}={value}" for name, value in self._settings.items()),
        ]
        with (self._folder / "postgres.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._become, *serve], cwd=self._folder, stdout=log, stderr=log
            )


@contextmanager
def database(folder: Path, password: str) -> Iterator[int]:
    """Start a PostgreSQL server with a database, and yield its port."""
    postgres = Postgres(folder, password)
    try:
        postgres.start()
        postgres.create_database()
        yield postgres.port
    finally:
        postgres.stop(signal.SIGINT)


def unprivileged(folder: Path) -> list[str]:
    """Return the prefix that runs a command as another user, who comes to own the folder."""
    if os.getuid() != 0:
        return []
    os.chown(folder, NOBODY, NOBODY)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
