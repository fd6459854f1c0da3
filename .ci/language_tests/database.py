"""A PostgreSQL in a temporary folder, with a user and a database of the same name."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .ports import free_port
from .processes import FailedError, until

USER = "bridgemaster"
NOBODY = 65_534
"""PostgreSQL refuses to run as the administrator."""


def programs() -> Path | None:
    """Return the folder of its programs, if any: Debian's newest, or that of the search path."""
    installed = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = sorted(installed, key=lambda path: int(path.parts[-3]))
    if newest:
        return newest[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@contextmanager
def database(folder: Path, password: str) -> Iterator[int]:
    """Start one with a database of the user's name, and give its port."""
    port, bin_folder = free_port(), programs()
    if bin_folder is None:
        raise FailedError("there is no PostgreSQL: install the Debian package postgresql")
    become = unprivileged(folder)
    secret = folder / "password"
    secret.write_text(password)
    initdb: list[str | Path] = [
        bin_folder / "initdb",
        "--no-sync",
        "--auth=scram-sha-256",
        f"--username={USER}",
    ]
    initdb += [f"--pwfile={secret}", "--encoding=UTF8", "--locale=C", "-D", folder / "data"]
    if os.getuid() == 0:
        os.chown(secret, NOBODY, NOBODY)
    done = subprocess.run([*become, *initdb], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise FailedError(f"initdb: {done.stderr}")
    serve: list[str | Path] = [
        bin_folder / "postgres",
        "-D",
        folder / "data",
        "-p",
        str(port),
        "-k",
        folder,
    ]
    serve += ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
    process = subprocess.Popen(
        [*become, *serve], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    variables = os.environ | {"PGPASSWORD": password}
    at = ["--host=127.0.0.1", f"--port={port}", f"--username={USER}"]

    def is_made() -> bool:
        created: list[str | Path] = [
            bin_folder / "createdb",
            *at,
            "--maintenance-db=postgres",
            USER,
        ]
        return subprocess.run(created, env=variables, capture_output=True).returncode == 0

    try:
        until(is_made)
        yield port
    finally:
        # It breaks its connections off.
        process.send_signal(signal.SIGINT)
        process.wait()


def unprivileged(folder: Path) -> list[str]:
    """Return what makes a command one of another user, who is given the folder."""
    if os.getuid() != 0:
        return []
    os.chown(folder, NOBODY, NOBODY)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
