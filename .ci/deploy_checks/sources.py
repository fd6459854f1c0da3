"""The files in deploy/, and the programs that read them."""

import re
import subprocess
from pathlib import Path
from typing import Any

import yaml
from language_tests.processes import TOP, FailedError

DEPLOY = TOP / "deploy"
DASHBOARD = DEPLOY / "grafana/dashboard.json"
PROGRAM = "/usr/local/bin/bridgemaster"
"""Where the image has it."""


def read(name: str) -> Any:  # noqa: ANN401
    """Return what a YAML file of one document has."""
    return yaml.safe_load((DEPLOY / name).read_text())


def read_all(name: str) -> list[Any]:
    """Return the documents of a YAML file."""
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def must(condition: object, what: str) -> None:
    """Fail unless a condition holds."""
    if not condition:
        raise FailedError(what)


def run(*command: str | Path) -> str:
    """Run a program, which must succeed, and return what it prints."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=TOP
    )
    must(done.returncode == 0, f"`{' '.join(map(str, command))}`:\n{done.stdout}")
    return done.stdout


def seconds(text: str) -> int:
    """Return the number of a time such as 30s."""
    match = re.fullmatch(r"(\d+)s", text)
    if match is None:
        raise FailedError(f"{text!r} is no time in seconds")
    return int(match[1])


def stopping_s() -> int:
    """Return for how long a server with a store takes to stop at most, by docs/operating.md."""
    limits = (TOP / "docs/operating.md").read_text()
    drain = re.search(r"^\| drain time: .*with a store (\d+) s", limits, re.MULTILINE)
    stop = re.search(r"^\| stop time: .*?\| (\d+) s", limits, re.MULTILINE)
    if drain is None or stop is None:
        raise FailedError("docs/operating.md does not tell the drain time and the stop time")
    return int(drain[1]) + int(stop[1])
