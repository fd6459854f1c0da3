"""The course of a ladder in the storm."""

import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from language_tests.processes import FailedError, until

from . import verdict
from .desk import Desk, Row
from .field import Field, must_have_all_kinds
from .links import Cut
from .plan import Plan, Trouble
from .running import Servers

LADDER = "storm"
GAME = "bridges_to_nowhere"
"""Its matches are short, and its seats decide at the same time."""
UNHURRIED = (
    *("--startup-ms", "600000", "--bank-ms", "3600000", "--cap-ms", "600000"),
    *("--reconnect-ms", "600000"),
)
"""So that no clock runs out on a loaded machine, or while a bot or the server is away."""
MATCH_S = 30.0
"""How long a match may take: far more than it does."""
LOOK_S = 0.2
"""How often it is looked how many matches count."""


class Course:
    """A ladder, its servers, its bots and their network."""

    def __init__(self, program: Path, field: Field, servers: Servers, lag_limit_ms: int) -> None:
        """Prepare it; no bot runs yet."""
        self._program = program
        self._lag_limit_ms = lag_limit_ms
        self._field, self._servers = field, servers
        must_have_all_kinds(field.names)
        self._known: list[Row] = []
        self._done: Counter[str] = Counter()

    def run(self, plan: Plan) -> str:
        """Play it, check it, and return the figures."""
        try:
            return self._run(plan)
        finally:
            self._field.end()
            self._servers.end()

    def _run(self, plan: Plan) -> str:
        # Not through the proxies, whose connections are cut.
        desk = Desk(self._program, self._servers.urls, self._field.organizer, LADDER)
        lag = ("--referee-lag-limit-ms", str(self._lag_limit_ms))
        desk.create("--game", GAME, "--seats", "2", *lag, *UNHURRIED)
        begun, driver_s = time.monotonic(), time.process_time()
        self._field.start(self._servers.bots_url, LADDER)
        for event in plan.events:
            self._until_counted(desk, event.at, plan.matches)
            self._do(event.what, plan, desk)
        self._until_counted(desk, plan.matches, plan.matches)
        took_s = time.monotonic() - begun
        played = desk.counted()
        server_s, bots_s = self._servers.spent_s(), self._field.spent_s()
        driver_s = time.process_time() - driver_s
        # The bots go when it is closed and their last matches are over.
        desk.close()
        until(lambda: verdict.all_over(desk.results(), desk.matches()), plan.matches * MATCH_S)
        self._field.end()
        self._servers.kill(plan.luck)
        self._check(desk)
        return (
            f"{played} matches in {took_s:.0f} s, {played / took_s * 60:.0f} a minute; "
            f"{self._words()}; {self._servers.accepted()} connections of bots\n"
            f"annulled: {self._annulled(desk)}\n"
            f"processor time of a match: bots {1000 * bots_s / played:.0f} ms, "
            f"server {1000 * server_s / played:.0f} ms, "
            f"proxy and checks {1000 * driver_s / played:.0f} ms\n"
            f"Elo: {verdict.of_kinds(desk.standings())}"
        )

    def _until_counted(self, desk: Desk, matches: int, of: int) -> None:
        def are_counted() -> bool:
            self._field.must_run()
            self._servers.must_run()
            return desk.counted() >= matches

        end_s = time.monotonic() + of * MATCH_S
        while not are_counted():
            if time.monotonic() > end_s:
                raise FailedError(f"only {desk.counted()} of {matches} matches count")
            time.sleep(LOOK_S)

    def _do(self, what: Trouble, plan: Plan, desk: Desk) -> None:
        match what:
            case Trouble.KILL_SERVER:
                now = desk.results()
                verdict.check_nothing_changed(self._known, now)
                self._known = now
                self._servers.kill(plan.luck)
                self._done["kills of a server"] += 1
            case Trouble.KILL_BOT:
                self._field.restart(plan.luck.random())
                self._done["restarts of bots"] += 1
            case Trouble.CUT_LINK:
                how = plan.luck.choice(list(Cut))
                # Right after a kill there may be none yet.
                with suppress(FailedError):
                    until(lambda: self._servers.cut(plan.luck.random(), how), MATCH_S)
                    self._done["cuts"] += 1

    def _check(self, desk: Desk) -> None:
        rows, counted = desk.results(), desk.counted()
        verdict.check_nothing_changed(self._known, rows)
        verdict.check_results(rows, desk.matches(), counted)
        verdict.check_standings(desk.standings(), len(self._field.names), counted)
        verdict.check_ratings(desk)
        self._servers.must_run()
        self._servers.check_logs()

    def _annulled(self, desk: Desk) -> int:
        annulled = {row["number"] for row in desk.results() if row["outcome"] == "annulled"}
        return len(annulled)

    def _words(self) -> str:
        return ", ".join(f"{count} {what}" for what, count in sorted(self._done.items()))
