"""The files in deploy/, and helpers to read them."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml
from language_tests.processes import TOP, FailedError

DEPLOY = TOP / "deploy"
DASHBOARD = DEPLOY / "grafana/dashboard.json"
PROGRAM = "/usr/local/bin/bridgemaster"
"""The path of the program in the image."""


def read(name: str) -> Any:  # noqa: ANN401
    """Read a YAML file with one document."""
    return yaml.safe_load((DEPLOY / name).read_text())


def version() -> str:
    """Return the version of the program, from Cargo.toml."""
    found = re.search(r'^version = "(.+)"$', (TOP / "Cargo.toml").read_text(), re.MULTILINE)
    if found is None:
        raise FailedError("Cargo.toml has no version")
    return found[1]


def must(condition: object, what: str) -> None:
    """Fail with this message unless the condition is true."""
    if not condition:
        raise FailedError(what)


def is_missing(tool: str, package: str = "") -> bool:
    """Return whether a tool is missing, with a message; with CI set, fail."""
    missing = not find(tool)
    what = f"{tool} is missing: install the Debian package {package or tool}"
    must(not missing or "CI" not in os.environ, what)
    if missing:
        print(f"skipped: {what}")
    return missing


def find(tool: str) -> str:
    """Return the path of a program, also of one for administrators; empty if it is missing."""
    return shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or ""


def run(*command: str | Path) -> str:
    """Run a program, which must succeed, and return its output."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=TOP
    )
    must(done.returncode == 0, f"`{' '.join(map(str, command))}`:\n{done.stdout}")
    return done.stdout


def seconds(text: str) -> int:
    """Parse a duration such as 30s."""
    match = re.fullmatch(r"(\d+)s", text)
    if match is None:
        raise FailedError(f"{text!r} is not a duration in seconds")
    return int(match[1])


def stopping_s() -> int:
    """Return the maximum time to stop of a server with a store, from docs/reference/limits.md."""
    limits = (TOP / "docs/reference/limits.md").read_text()
    drain = re.search(r"^\| drain time: .*with a store (\d+) s", limits, re.MULTILINE)
    stop = re.search(r"^\| stop time: .*?\| (\d+) s", limits, re.MULTILINE)
    if drain is None or stop is None:
        raise FailedError("docs/reference/limits.md has no drain time or no stop time")
    return int(drain[1]) + int(stop[1])
