"""Servers, bots and commands that tests start, and helpers to wait for conditions."""

import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

TOP = Path(__file__).resolve().parent.parent.parent
"""Root folder of the repository."""

TIMEOUT_S = 300.0
"""Default timeout of waits, in seconds; far longer than usual."""

LONG_CLOCKS = ("--startup-ms", "600000", "--time-control", "3600/600")
"""Flags that prevent timeouts on a loaded machine."""


MAX_PAUSE_S = 1.0
"""Maximum pause between two checks of a condition, in seconds."""


class FailedError(Exception):
    """A test failed."""


def timed(what: str, step: Callable[..., object], *arguments: object) -> float:
    """Run a step, print its duration, and return it in seconds."""
    started_at = time.monotonic()
    step(*arguments)
    took_s = time.monotonic() - started_at
    print(f"{what}: {took_s:.1f} s", flush=True)
    return took_s


def server(
    program: Path, data: str, listen: str
) -> AbstractContextManager[tuple[subprocess.Popen[str], str]]:
    """Start a server with a data folder, and yield its process and address."""
    return serving(program, "--listen", listen, "--data", data)


@contextmanager
def serving(program: Path, *flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server with these flags, and yield its process and address."""
    command = [program, "serve", *flags]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        url = re.search(r"http://\S+", line)
        if url is None:
            raise FailedError(f"the server did not start: {line}")
        yield process, url[0]
    finally:
        process.kill()
        process.wait()


class Start(Protocol):
    """Starts a bot by its command, with a ticket or queue in the variables."""

    def __call__(self, command: list[str], url: str, **variables: str) -> "subprocess.Popen[bytes]":
        """Start the process."""


@contextmanager
def bots() -> Iterator[Start]:
    """Yield a function that starts bots, which are killed at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(command: list[str], url: str, **variables: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command,
            cwd=TOP,
            env=os.environ | {"BRIDGEMASTER_SERVER": url} | variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.wait()


def decisions(program: Path, url: str, match: str) -> int:
    """Return the number of decisions of a match."""
    listed = run_json(program, "match", "list", "--server", url, "--json")["matches"]
    return next(int(each.get("decisions", 0)) for each in listed if each["matchId"] == match)


def run_json(program: Path, *arguments: str) -> Any:  # noqa: ANN401
    """Run a command of the program, and return its JSON output."""
    return json.loads(run_program(program, *arguments))


def run_program(program: Path, *arguments: str) -> str:
    """Run a command of the program, and return its output."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise FailedError(f"`{' '.join(arguments)}` failed: {done.stderr}")
    return done.stdout


def wait_until(condition: Callable[[], bool], timeout_s: float = TIMEOUT_S) -> None:
    """Wait until a condition is true; fail after the timeout."""
    end_s = time.monotonic() + timeout_s
    pause_s = 0.05
    while not condition():
        if time.monotonic() > end_s:
            raise FailedError(f"timeout after {timeout_s:g} s")
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, MAX_PAUSE_S)


def shell(command: str, folder: Path = TOP, **variables: str) -> None:
    """Run a command in a folder; its output is included in the error if it fails."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        raise FailedError(f"`{command}` exited with {done.returncode}:\n{done.stdout}")


def play_there(command: str, program: Path, folder: Path) -> None:
    """Run a command in a folder, with the program in place of `bridgemaster` and `cargo run`."""
    with tempfile.TemporaryDirectory() as programs:
        run = f'[ "$1 $2" = "run --" ] && shift 2 && exec {program} "$@"'
        for name, body in {"cargo": run, "bridgemaster": f'exec {program} "$@"'}.items():
            stand_in = Path(programs, name)
            stand_in.write_text(f"#!/bin/sh\n{body}\n")
            stand_in.chmod(0o755)
        shell(command, folder, PATH=f"{programs}:{os.environ['PATH']}")


def check_bot(program: Path, command: list[str], folder: Path, time_limit: str) -> int:
    """Run all checks, which include a match of every game, and return their number."""
    with tempfile.TemporaryDirectory() as reports:
        report = Path(reports, "report.json")
        flags = ["check-bot", "--attend", "--time-limit", time_limit, "--json", str(report), "--"]
        done = subprocess.run(
            [program, *flags, *command], cwd=folder, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise FailedError(f"check-bot found:\n{done.stdout}{done.stderr}")
        checks = json.loads(report.read_text())["checks"]
    passed = sum(each["outcome"] == "passed" for each in checks)
    if passed < len(checks):
        raise FailedError(f"{len(checks) - passed} checks were skipped")
    return passed
