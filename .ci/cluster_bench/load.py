"""The bots: one process of `sdk/rust/examples/many_seats.rs` plays all seats."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from language_tests.processes import TIMEOUT_S, FailedError

from .cpu import cpu_s


class Bots:
    """Bots that keep a number of matches in progress."""

    def __init__(
        self,
        program: Path,
        urls: Iterable[str],
        game: str,
        matches: int,
        think_ms: int,
        connected: str = "direct",
    ) -> None:
        """Start the bots, each connected to the server of its match or to another one."""
        command = [program, "play", ",".join(urls), game, str(matches), str(think_ms), connected]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def since(self) -> tuple[int, list[int]]:
        """Return the decisions, and the round trips in us, since the last call."""
        if self._process.stdin is None or self._process.stdout is None:
            raise FailedError("the bots have no pipes")
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        try:
            decisions, *round_trips = map(int, line.split())
        except ValueError as error:
            raise FailedError(f"the bots failed: {line}") from error
        return decisions, round_trips

    def cpu_s(self) -> float:
        """Return the CPU time of the bots."""
        return cpu_s(self._process.pid)

    def finish(self) -> None:
        """Let the bots finish their matches."""
        output, _ = self._process.communicate(timeout=TIMEOUT_S)
        if self._process.returncode != 0:
            raise FailedError(f"the bots failed: {output}")

    def kill(self) -> None:
        """Kill the bots in the middle of their matches."""
        self._process.kill()
        self._process.wait()


def create_waiting(program: Path, urls: Iterable[str], game: str, matches: int) -> None:
    """Create matches without bots."""
    command = [program, "wait", ",".join(urls), game, str(matches)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise FailedError(f"matches could not be created: {done.stdout}")
