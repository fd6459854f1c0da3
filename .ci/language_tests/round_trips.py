"""Round trips per second of a language's library, compared with a bare gRPC client."""

import os
import select
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from .catalogue import Language
from .processes import TIMEOUT_S, TOP, FailedError


@dataclass(frozen=True)
class RoundTrips:
    """Medians of round trips per second, of processes that ran in turns."""

    library: float
    bare: float

    def text(self) -> str:
        """Format both figures and their ratio."""
        return f"{self.library:,.0f} of {self.bare:,.0f} ({self.library / self.bare:.0%})"


def measure(
    language: Language, bot: list[str], folder: Path, program: Path, turns: int
) -> RoundTrips:
    """Run a bot with the library and the bare client in turns."""
    examples = program.parent / "examples"

    def expand(command: tuple[str, ...]) -> list[str]:
        folders = {"TOP/": f"{TOP}/", "EXAMPLES/": f"{examples}/"}
        for short, path in folders.items():
            command = tuple(word.replace(short, path) for word in command)
        return list(command)

    library, bare = expand(language.library_client) or bot, expand(language.bare_client)
    figures: tuple[list[float], list[float]] = ([], [])
    with instant_server(examples / "instant_server") as (output, url):
        for _ in range(turns):
            for command, found in zip((library, bare), figures, strict=True):
                run(command, folder, url)
                found.append(figure_of(output, command))
    return RoundTrips(*map(statistics.median, figures))


def figure_of(output: IO[str], command: list[str]) -> float:
    """Read the figure of a client that has exited; a client that exited early has none."""
    if not select.select([output], [], [], TIMEOUT_S)[0]:
        raise FailedError(f"{command} exited before all its answers were counted")
    return float(output.readline())


def run(command: list[str], folder: Path, url: str) -> None:
    """Run a client to its end."""
    variables = {"BRIDGEMASTER_SERVER": url, "BRIDGEMASTER_TICKET": "t"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    if done.returncode != 0:
        raise FailedError(f"{command} exited with {done.returncode}: {done.stderr}")


@contextmanager
def instant_server(program: Path) -> Iterator[tuple[IO[str], str]]:
    """Start the server that sends requests without delay, and yield its output and address."""
    if not program.exists():
        raise FailedError(
            f"{program} does not exist: run `cargo build --workspace --examples`, or `cargo test`"
        )
    server = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout is None:
            raise FailedError("the instant server has no output")
        line = server.stdout.readline()
        if not line.startswith("listening on "):
            raise FailedError(f"the instant server did not start: {line}")
        yield server.stdout, line.removeprefix("listening on ").strip()
    finally:
        server.kill()
        server.wait()
