"""The matches of a storm and their bots."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from language_tests.processes import FailedError

from .bots import Bot, Kind
from .checks import Played
from .client import Client, Created
from .plan import PlannedMatch

SEATS = 16
"""A number above the seats of any match, so that each seat of a run has a unique number."""
POLL_INTERVAL_S = 0.05
"""Interval at which the bots are checked for their end, in seconds."""
MAX_SHOWN = 20
"""Maximum number of problems to print."""


@dataclass
class InProgress:
    """A match in progress and its bots."""

    planned: PlannedMatch
    created: Created
    bots: list[Bot]


class Matches:
    """Plays matches, several at a time."""

    def __init__(self, program: Path, folder: Path, kinds: dict[str, Kind], at_once: int) -> None:
        """Prepare the run; the logs of the bots are written to the folder."""
        self._program, self._folder = program, folder
        self._kinds, self._at_once = kinds, at_once
        self.in_play: list[InProgress] = []
        self.over: list[InProgress] = []

    def play(
        self,
        name: str,
        matches: list[PlannedMatch],
        client: Client,
        urls_of: Callable[[PlannedMatch], str],
        stuck_s: float,
        progress: Callable[[], int] | None = None,
    ) -> None:
        """Play matches until all have ended.

        `progress` is called in each round, and returns a number. The run fails if the number stays
        the same for `stuck_s`. By default it is the number of finished matches.
        """
        logs = self._folder / name
        logs.mkdir()
        self.in_play, self.over = [], []
        waiting = list(matches)
        progress_at, last = time.monotonic(), -1
        while waiting or self.in_play:
            while waiting and len(self.in_play) < self._at_once:
                planned = waiting.pop(0)
                self.in_play.append(self._start(planned, client, urls_of(planned), logs))
            over = [one for one in self.in_play if all([bot.has_ended() for bot in one.bots])]
            self.over += over
            self.in_play = [one for one in self.in_play if one not in over]
            now = progress() if progress else len(self.over)
            if now != last:
                progress_at, last = time.monotonic(), now
            if time.monotonic() - progress_at > stuck_s:
                stuck = [one.created.match_id for one in self.in_play]
                raise FailedError(f"matches are stuck: {stuck}")
            time.sleep(POLL_INTERVAL_S)

    def _start(self, planned: PlannedMatch, client: Client, urls: str, logs: Path) -> InProgress:
        created = client.create(planned)
        bots = [
            Bot(
                self._kinds[player],
                self._program,
                logs / f"{planned.number:03}-{created.match_id}-{seat}-{player}.log",
                planned.number * SEATS + seat,
                BRIDGEMASTER_SERVER=urls,
                BRIDGEMASTER_TICKET=created.tickets[seat],
            )
            for seat, player in enumerate(planned.players)
        ]
        return InProgress(planned, created, bots)

    def played(self, client: Client) -> list[Played]:
        """Return the finished matches with their replays, which all nodes must return alike."""
        played = []
        for one in sorted(self.over, key=lambda one: one.planned.number):
            files = [client.replay(one.created.match_id, node) for node in range(len(client.stubs))]
            if len(set(files)) > 1:
                raise FailedError(f"nodes have different replays of {one.created.match_id}")
            logs = [bot.log if bot.kind.is_logged else None for bot in one.bots]
            kills = [bot.kills for bot in one.bots]
            played.append(Played(one.planned, one.created.match_id, logs, kills, files[0]))
        return played

    def end_bots(self) -> None:
        """Kill all bots that run."""
        for one in self.in_play + self.over:
            for bot in one.bots:
                bot.end()


def describe(wrong: list[str]) -> str:
    """Format the first problems."""
    return "\n".join([f"{len(wrong)} problems:", *wrong[:MAX_SHOWN]])


def decisions_of(one: Played) -> int:
    """Return the number of decisions of a match."""
    return int(one.replay().result.decisions)
