"""The bots: one process of `sdk/rust/examples/many_seats.rs` with all seats."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from language_tests.processes import PATIENCE_S, FailedError

from .spent import spent_s


class Bots:
    """Matches that are kept in play at some servers."""

    def __init__(
        self, program: Path, urls: Iterable[str], game: str, matches: int, think_ms: int
    ) -> None:
        """Start them."""
        command = [program, "play", ",".join(urls), game, str(matches), str(think_ms)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def since(self) -> tuple[int, list[int]]:
        """Return decisions and round trips, in us, since this was asked the last time."""
        if self._process.stdin is None or self._process.stdout is None:
            raise FailedError("the bots cannot be asked")
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        try:
            decisions, *round_trips = map(int, line.split())
        except ValueError as error:
            raise FailedError(f"the bots failed: {line}") from error
        return decisions, round_trips

    def spent_s(self) -> float:
        """Return their processor time."""
        return spent_s(self._process.pid)

    def finish(self) -> None:
        """Let them play their matches to the end, and make no more."""
        said, _ = self._process.communicate(timeout=PATIENCE_S)
        if self._process.returncode != 0:
            raise FailedError(f"the bots failed: {said}")

    def kill(self) -> None:
        """Kill them in the middle of their matches."""
        self._process.kill()
        self._process.wait()


def make_waiting(program: Path, urls: Iterable[str], game: str, matches: int) -> None:
    """Make matches to which no bot comes."""
    command = [program, "wait", ",".join(urls), game, str(matches)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise FailedError(f"matches could not be made: {done.stdout}")
