"""A run of a ladder with disruptions."""

import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from language_tests.processes import FailedError, wait_until

from . import checks
from .bots import Bots, check_number
from .organiser import Organiser, Row
from .plan import Disruption, Plan
from .proxy import BRIEF_CUTS
from .running import Servers

LADDER = "storm"
GAME = "bridges_to_nowhere"
"""A game with short matches and simultaneous decisions."""
LONG_CLOCKS = (
    *("--startup-ms", "600000", "--time-control", "3600/600"),
    *("--reconnect-ms", "600000"),
)
"""Flags that prevent timeouts on a loaded machine, or while a bot or the server is down."""
MATCH_S = 30.0
"""Maximum duration of a match, in seconds; far longer than usual."""
POLL_INTERVAL_S = 0.2
"""Interval at which the counted matches are polled, in seconds."""


class Storm:
    """A run of a ladder, with its servers, bots and proxies."""

    def __init__(self, program: Path, bots: Bots, servers: Servers, lag_limit_ms: int) -> None:
        """Prepare the run, without starting the bots."""
        self._program = program
        self._lag_limit_ms = lag_limit_ms
        self._bots, self._servers = bots, servers
        check_number(bots.names)
        self._results: list[Row] = []
        self._done: Counter[str] = Counter()

    def run(self, plan: Plan) -> str:
        """Play and check the ladder, and return the figures."""
        try:
            return self._run(plan)
        finally:
            self._bots.end()
            self._servers.end()

    def _run(self, plan: Plan) -> str:
        # The organiser does not use the proxies, whose connections are cut.
        organiser = Organiser(self._program, self._servers.urls, self._bots.organiser, LADDER)
        lag = ("--referee-lag-limit-ms", str(self._lag_limit_ms))
        organiser.create("--game", GAME, "--seats", "2", *lag, *LONG_CLOCKS)
        started_at, driver_cpu_s = time.monotonic(), time.process_time()
        self._bots.start(self._servers.bots_url, LADDER)
        for event in plan.events:
            self._until_counted(organiser, event.at, plan.matches)
            self._do(event.what, plan, organiser)
        self._until_counted(organiser, plan.matches, plan.matches)
        took_s = time.monotonic() - started_at
        played = organiser.counted()
        server_s, bots_s = self._servers.cpu_s(), self._bots.cpu_s()
        driver_cpu_s = time.process_time() - driver_cpu_s
        # The bots leave when the ladder is closed and their last matches have ended.
        organiser.close()
        wait_until(
            lambda: checks.all_over(organiser.results(), organiser.matches()),
            plan.matches * MATCH_S,
        )
        self._bots.end()
        self._servers.kill(plan.luck)
        self._check(organiser)
        return (
            f"{played} matches in {took_s:.0f} s, {played / took_s * 60:.0f} per minute; "
            f"{self._disruptions()}; {self._servers.accepted()} connections of bots\n"
            f"annulled: {self._annulled(organiser)}\n"
            f"CPU time per match: bots {1000 * bots_s / played:.0f} ms, "
            f"server {1000 * server_s / played:.0f} ms, "
            f"proxy and checks {1000 * driver_cpu_s / played:.0f} ms\n"
            f"Elo: {checks.of_kinds(organiser.standings())}"
        )

    def _until_counted(self, organiser: Organiser, matches: int, of: int) -> None:
        def are_counted() -> bool:
            self._bots.check_running()
            self._servers.check()
            return organiser.counted() >= matches

        end_s = time.monotonic() + of * MATCH_S
        while not are_counted():
            if time.monotonic() > end_s:
                raise FailedError(f"only {organiser.counted()} of {matches} matches count")
            time.sleep(POLL_INTERVAL_S)

    def _do(self, what: Disruption, plan: Plan, organiser: Organiser) -> None:
        match what:
            case Disruption.KILL_SERVER:
                now = organiser.results()
                checks.check_nothing_changed(self._results, now)
                self._results = now
                self._servers.kill(plan.luck)
                self._done["kills of a server"] += 1
            case Disruption.KILL_BOT:
                self._bots.restart(plan.luck.random())
                self._done["restarts of bots"] += 1
            case Disruption.CUT_LINK:
                how = plan.luck.choice(BRIEF_CUTS)
                # There might be no connections right after a kill.
                with suppress(FailedError):
                    wait_until(lambda: self._servers.cut(plan.luck.random(), how), MATCH_S)
                    self._done["cuts"] += 1

    def _check(self, organiser: Organiser) -> None:
        rows, counted = organiser.results(), organiser.counted()
        checks.check_nothing_changed(self._results, rows)
        checks.check_results(rows, organiser.matches(), counted)
        checks.check_standings(organiser.standings(), len(self._bots.names), counted)
        checks.check_ratings(organiser)
        self._servers.check()
        self._servers.check_logs()

    def _annulled(self, organiser: Organiser) -> int:
        annulled = {row["number"] for row in organiser.results() if row["outcome"] == "annulled"}
        return len(annulled)

    def _disruptions(self) -> str:
        return ", ".join(f"{count} {what}" for what, count in sorted(self._done.items()))
