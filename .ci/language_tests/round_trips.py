"""Round trips a second of a language's library, beside a bare client of the same gRPC library."""

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
from .processes import PATIENCE_S, TOP, FailedError


@dataclass(frozen=True)
class RoundTrips:
    """Medians of round trips a second, of processes that took turns."""

    library: float
    bare: float

    def text(self) -> str:
        """Return both figures, and their ratio."""
        return f"{self.library:,.0f} of {self.bare:,.0f} ({self.library / self.bare:.0%})"


def measure(
    language: Language, bot: list[str], folder: Path, program: Path, turns: int
) -> RoundTrips:
    """Let a bot of the library, in the folder of the new one, and the bare client take turns."""
    examples = program.parent / "examples"

    def named(command: tuple[str, ...]) -> list[str]:
        folders = {"TOP/": f"{TOP}/", "EXAMPLES/": f"{examples}/"}
        for short, whole in folders.items():
            command = tuple(word.replace(short, whole) for word in command)
        return list(command)

    library, bare = named(language.library_client) or bot, named(language.bare_client)
    figures: tuple[list[float], list[float]] = ([], [])
    with instant_server(examples / "instant_server") as (output, url):
        for _ in range(turns):
            for command, found in zip((library, bare), figures, strict=True):
                run(command, folder, url)
                found.append(figure_of(output, command))
    return RoundTrips(*map(statistics.median, figures))


def figure_of(output: IO[str], command: list[str]) -> float:
    """Read the figure of a client that has ended; one that left early has none."""
    if not select.select([output], [], [], PATIENCE_S)[0]:
        raise FailedError(f"{command} ended before all its answers were counted")
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
        timeout=PATIENCE_S,
    )
    if done.returncode != 0:
        raise FailedError(f"{command} ended with {done.returncode}: {done.stderr}")


@contextmanager
def instant_server(program: Path) -> Iterator[tuple[IO[str], str]]:
    """Start the server that asks at once, and give its output and its address."""
    if not program.exists():
        raise FailedError(
            f"{program} is not there: `cargo build --workspace --examples`, which `cargo test` does"
        )
    server = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout is None:
            raise FailedError("the instant server says nothing")
        line = server.stdout.readline()
        if not line.startswith("listening on "):
            raise FailedError(f"the instant server did not come up: {line}")
        yield server.stdout, line.removeprefix("listening on ").strip()
    finally:
        server.kill()
        server.wait()
