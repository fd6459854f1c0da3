"""What whoever runs the ladder asks the server."""

import csv
import io
import json
import subprocess
import time
from pathlib import Path
from typing import Any

from language_tests.processes import FailedError

PATIENCE_S = 60.0
"""How long a command is tried at servers of which one may answer it: a new leader takes 10 s."""
PAUSE_S = 0.2
"""Pause after all of them were asked."""

Row = dict[str, str]


class Desk:
    """Commands of the program, under the key of the organizer."""

    def __init__(self, program: Path, urls: list[str], key: str, ladder: str) -> None:
        """Call servers that may come and go."""
        self._program = program
        self._urls = urls
        self._environment = {"BRIDGEMASTER_KEY": key}
        self._ladder = ladder

    def create(self, *flags: str) -> None:
        """Make the ladder."""
        self.tell("ladder", "create", self._ladder, *flags)

    def close(self) -> None:
        """Let nothing more be paired."""
        self.tell("ladder", "close", self._ladder)

    def counted(self) -> int:
        """Return how many matches count."""
        ladders = self._ask("ladder", "list")["ladders"]
        here = next(one for one in ladders if one["ladderId"] == self._ladder)
        return int(here.get("matches", 0))

    def standings(self) -> list[dict[str, Any]]:
        """Return how the bots stand."""
        found: list[dict[str, Any]] = self._ask("ladder", "standings", self._ladder)["standings"]
        return found

    def results(self) -> list[Row]:
        """Return a row for each seat of each match that is over."""
        text = self.tell("ladder", "results", self._ladder)
        return list(csv.DictReader(io.StringIO(text)))

    def matches(self) -> list[dict[str, Any]]:
        """Return all matches of the server."""
        found: list[dict[str, Any]] = self._ask("list", "--all").get("matches", [])
        return found

    def recompute(self) -> str:
        """Fit the ratings again from the results alone."""
        return self.tell("ladder", "recompute", self._ladder)

    def tell(self, *arguments: str) -> str:
        """Run a command of the program at the server that does it, and return what it prints."""
        end_s = time.monotonic() + PATIENCE_S
        while True:
            for url in list(self._urls):
                done = subprocess.run(
                    [self._program, *arguments],
                    capture_output=True,
                    text=True,
                    env=self._environment | {"BRIDGEMASTER_SERVER": url},
                )
                if done.returncode == 0:
                    # It leads, as a rule: the next command begins there.
                    self._urls = [url, *(other for other in self._urls if other != url)]
                    return done.stdout
            if len(self._urls) == 1 or time.monotonic() > end_s:
                raise FailedError(f"`{' '.join(arguments)}` failed: {done.stderr}")
            time.sleep(PAUSE_S)

    def _ask(self, *arguments: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.tell(*arguments, "--json"))
        return answer
