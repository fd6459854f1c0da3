"""Servers, bots and commands that tests start, and what they wait for."""

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
"""The top folder of the repository."""

PATIENCE_S = 300.0
"""How long is waited for what must happen: far more than it takes."""

UNHURRIED = ("--startup-ms", "600000", "--bank-ms", "3600000", "--cap-ms", "600000")
"""So that no clock runs out on a loaded machine."""


LONGEST_PAUSE_S = 1.0
"""Longest pause before a condition is looked at again."""


class FailedError(Exception):
    """A test failed."""


def timed(what: str, step: Callable[..., object], *arguments: object) -> float:
    """Do a step, tell how long it took, and return that in seconds."""
    begun = time.monotonic()
    step(*arguments)
    took_s = time.monotonic() - begun
    print(f"{what}: {took_s:.1f} s", flush=True)
    return took_s


def server(
    program: Path, data: str, listen: str
) -> AbstractContextManager[tuple[subprocess.Popen[str], str]]:
    """Start a server over a data folder, and give its process and address."""
    return serving(program, "--listen", listen, "--data", data)


@contextmanager
def serving(program: Path, *flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server with these flags, and give its process and address."""
    command = [program, "serve", *flags]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        url = re.search(r"http://\S+", line)
        if url is None:
            raise FailedError(f"the server did not come up: {line}")
        yield process, url[0]
    finally:
        process.kill()
        process.wait()


class Start(Protocol):
    """Starts the bot of a command, for a server and a ticket or a queue in these variables."""

    def __call__(self, command: list[str], url: str, **variables: str) -> "subprocess.Popen[bytes]":
        """Start it."""


@contextmanager
def bots() -> Iterator[Start]:
    """Give a function that starts bots, which are ended at last."""
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
    """Return how many decisions of a match there were."""
    listed = ask(program, "list", "--server", url, "--json")["matches"]
    return next(int(each.get("decisions", 0)) for each in listed if each["matchId"] == match)


def ask(program: Path, *arguments: str) -> Any:  # noqa: ANN401
    """Run a command of the program, and return the JSON that it prints."""
    return json.loads(tell(program, *arguments))


def tell(program: Path, *arguments: str) -> str:
    """Run a command of the program, and return what it prints."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise FailedError(f"`{' '.join(arguments)}` failed: {done.stderr}")
    return done.stdout


def until(condition: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Wait until a condition holds."""
    end_s = time.monotonic() + patience_s
    pause_s = 0.05
    while not condition():
        if time.monotonic() > end_s:
            raise FailedError("what was waited for did not happen")
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def shell(command: str, folder: Path = TOP, **variables: str) -> None:
    """Run a command in a folder; what it says is shown when it fails."""
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
        raise FailedError(f"`{command}` ended with {done.returncode}:\n{done.stdout}")


def play_there(command: str, program: Path, folder: Path) -> None:
    """Run a command in a folder; the program stands for `bridgemaster` and its `cargo run`."""
    with tempfile.TemporaryDirectory() as programs:
        run = f'[ "$1 $2 $3" = "run --release --" ] && shift 3 && exec {program} "$@"'
        for name, body in {"cargo": run, "bridgemaster": f'exec {program} "$@"'}.items():
            stand_in = Path(programs, name)
            stand_in.write_text(f"#!/bin/sh\n{body}\n")
            stand_in.chmod(0o755)
        shell(command, folder, PATH=f"{programs}:{os.environ['PATH']}")


def check_bot(program: Path, command: list[str], folder: Path, time_limit: str) -> int:
    """Run every check, and return their number. A whole match of every game is among them."""
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
