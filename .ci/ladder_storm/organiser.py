"""The commands of the ladder's organiser."""

import csv
import io
import json
import subprocess
import time
from pathlib import Path
from typing import Any

from language_tests.processes import FailedError

TIMEOUT_S = 60.0
"""Time for which a command is retried with several servers; a new leader takes 10 s."""
PAUSE_S = 0.2
"""Pause after all servers were tried, in seconds."""

Row = dict[str, str]


class Organiser:
    """Runs commands of the program with the key of the organiser."""

    def __init__(self, program: Path, urls: list[str], key: str, ladder: str) -> None:
        """Use these servers, which can restart."""
        self._program = program
        self._urls = urls
        self._environment = {"BRIDGEMASTER_KEY": key}
        self._ladder = ladder

    def create(self, *flags: str) -> None:
        """Create the ladder."""
        self.run("ladder", "create", self._ladder, *flags)

    def close(self) -> None:
        """Close the ladder, so that no more matches are paired."""
        self.run("ladder", "close", self._ladder)

    def counted(self) -> int:
        """Return the number of matches that count."""
        ladders = self._run_json("ladder", "list")["ladders"]
        here = next(one for one in ladders if one["ladderId"] == self._ladder)
        return int(here.get("matches", 0))

    def standings(self) -> list[dict[str, Any]]:
        """Return the standings."""
        found: list[dict[str, Any]] = self._run_json("ladder", "standings", self._ladder)[
            "standings"
        ]
        return found

    def results(self) -> list[Row]:
        """Return a row for each seat of each finished match."""
        text = self.run("ladder", "results", self._ladder)
        return list(csv.DictReader(io.StringIO(text)))

    def matches(self) -> list[dict[str, Any]]:
        """Return all matches of the server."""
        found: list[dict[str, Any]] = self._run_json("match", "list", "--all").get("matches", [])
        return found

    def recompute(self) -> str:
        """Compute the ratings again from the results."""
        return self.run("ladder", "recompute", self._ladder)

    def run(self, *arguments: str) -> str:
        """Run a command with the server that answers it, and return its output."""
        end_s = time.monotonic() + TIMEOUT_S
        while True:
            for url in list(self._urls):
                done = subprocess.run(
                    [self._program, *arguments],
                    capture_output=True,
                    text=True,
                    env=self._environment | {"BRIDGEMASTER_SERVER": url},
                )
                if done.returncode == 0:
                    # It is probably the leader, so start with it next time.
                    self._urls = [url, *(other for other in self._urls if other != url)]
                    return done.stdout
            if len(self._urls) == 1 or time.monotonic() > end_s:
                raise FailedError(f"`{' '.join(arguments)}` failed: {done.stderr}")
            time.sleep(PAUSE_S)

    def _run_json(self, *arguments: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.run(*arguments, "--json"))
        return answer
