"""A storm: matches without failures, then the same matches with failures, then the checks."""

import secrets
import signal
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from language_tests.database import Postgres
from language_tests.ports import free_port
from language_tests.processes import FailedError, serving, wait_until

from . import audit, checks, seat_log
from .bots import Bot, Kind
from .checks import Played
from .client import Client, Created
from .nemesis import Nemesis
from .nodes import Nodes
from .plan import Plan, PlannedMatch
from .prober import Prober
from .seat_log import SeatLog

SEATS = 16
"""More than the seats of any match, so that each seat of a run has a unique number."""
POLL_INTERVAL_S = 0.05
"""Interval at which the bots are checked for their end, in seconds."""
STUCK_S = 150.0
"""Time without a decision after which matches count as stuck: far longer than any outage of a node
or the database."""
SLOW_FLUSH = {"fsync": "on", "commit_delay": "5000", "commit_siblings": "0"}
"""Delays each flush by 5 ms, so that nodes have several pending commits, and lose some of them when
the database is killed."""
MAX_SHOWN = 20
"""Maximum number of problems to print."""


@dataclass
class InProgress:
    """A match in progress and its bots."""

    planned: PlannedMatch
    created: Created
    bots: list[Bot]


class Storm:
    """A run of the storm, with its matches and bots."""

    def __init__(self, program: Path, folder: Path, kinds: dict[str, Kind], at_once: int) -> None:
        """Prepare the run; logs and data are written to the folder."""
        self._program, self._folder = program, folder
        self._kinds, self._at_once = kinds, at_once
        self._in_play: list[InProgress] = []
        self._over: list[InProgress] = []

    def run(self, plan: Plan) -> str:
        """Play and check the matches, and return the figures."""
        started_at = time.monotonic()
        undisturbed = self._without_failures(plan)
        expected = {one.planned.number: decisions_of(one) for one in undisturbed}
        undisturbed_s = time.monotonic() - started_at
        with ExitStack() as stack:
            stack.callback(self._end_bots)
            database = self._folder / "database"
            database.mkdir()
            # The database user must be able to enter it.
            self._folder.chmod(0o755)
            postgres = Postgres(database, secrets.token_hex(16), **SLOW_FLUSH)
            stack.callback(postgres.stop, signal.SIGINT)
            postgres.start()
            postgres.create_database()
            nodes = Nodes(self._program, self._folder, postgres)
            stack.callback(nodes.end)
            # The first server creates the tables for the triggers of the audit.
            first = nodes.all[0]
            first.start()
            wait_until(first.is_listening)
            first.kill()
            audit.install(postgres)
            first.is_down_on_purpose = False
            nodes.start()
            nodes.start_forwarder()
            postgres.check_tls()
            names, urls = [node.name for node in nodes.all], [node.url for node in nodes.all]
            prober = Prober(names, urls, postgres)
            prober.start()
            nemesis = Nemesis(nodes, postgres)
            started_at = time.monotonic()
            try:
                self._play(plan, Client(urls), nodes.urls, expected, nodes, prober, nemesis)
                nemesis.wait()
                took_s = time.monotonic() - started_at
                nodes.check()
                played = self._played(Client(urls))
            except FailedError as failure:
                raise FailedError(f"{failure}\n{_audit_problems(postgres, nemesis)}") from failure
            finally:
                (self._folder / "disruptions.txt").write_text("\n".join(nemesis.log) + "\n")
            prober.end()
            events = audit.read(postgres)
            return self._judge(plan, undisturbed, played, events, nodes, prober, nemesis) + (
                f"without failures {undisturbed_s:.0f} s, in the storm {took_s:.0f} s"
            )

    def _without_failures(self, plan: Plan) -> list[Played]:
        flags = ("--listen", f"127.0.0.1:{free_port()}", "--no-page")
        with serving(self._program, *flags) as (_, url):
            try:
                self._play(plan, Client([url]), url, {}, None, None, None)
                return self._played(Client([url]))
            finally:
                self._end_bots()

    def _play(
        self,
        plan: Plan,
        client: Client,
        urls: str,
        expected: dict[int, int],
        nodes: Nodes | None,
        prober: Prober | None,
        nemesis: Nemesis | None,
    ) -> None:
        logs = self._folder / ("storm" if nodes else "without-failures")
        logs.mkdir()
        self._in_play, self._over = [], []
        waiting, events = list(plan.matches), list(plan.events)
        progress_at, progress = time.monotonic(), -1
        while waiting or self._in_play:
            while waiting and len(self._in_play) < self._at_once:
                planned = waiting.pop(0)
                known = urls
                if nodes and planned.is_forwarded:
                    known = f"{nodes.forwarder.url},{urls}"
                self._in_play.append(self._start(planned, client, known, logs))
            self._collect_finished()
            if nodes and prober and nemesis:
                nodes.check()
                prober.watch([one.created.match_id for one in self._in_play])
                now = self._decisions(expected, prober)
                if now != progress:
                    progress_at, progress = time.monotonic(), now
                if events and now >= events[0].at * sum(expected.values()):
                    nemesis.begin(events.pop(0))
                    progress_at = time.monotonic()
            elif len(self._over) != progress:
                progress_at, progress = time.monotonic(), len(self._over)
            # Without a prober only finished matches count as progress.
            if time.monotonic() - progress_at > (STUCK_S if prober else 3 * STUCK_S):
                stuck = [one.created.match_id for one in self._in_play]
                raise FailedError(f"matches are stuck: {stuck}")
            time.sleep(POLL_INTERVAL_S)
        if nemesis and events:
            nemesis.skip(events)
            if 2 * len(events) > len(plan.events):
                raise FailedError(f"matches were over before {len(events)} disruptions: {events}")

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

    def _collect_finished(self) -> None:
        over = [one for one in self._in_play if all([bot.has_ended() for bot in one.bots])]
        self._over += over
        self._in_play = [one for one in self._in_play if one not in over]

    def _decisions(self, expected: dict[int, int], prober: Prober) -> int:
        over = sum(expected[one.planned.number] for one in self._over)
        return over + sum(prober.decisions(one.created.match_id) for one in self._in_play)

    def _played(self, client: Client) -> list[Played]:
        played = []
        for one in sorted(self._over, key=lambda one: one.planned.number):
            files = [client.replay(one.created.match_id, node) for node in range(len(client.stubs))]
            if len(set(files)) > 1:
                raise FailedError(f"nodes have different replays of {one.created.match_id}")
            seats = [bot.log if bot.kind.is_logged else None for bot in one.bots]
            played.append(Played(one.planned, one.created.match_id, seats, files[0]))
        return played

    def _judge(
        self,
        plan: Plan,
        undisturbed: list[Played],
        played: list[Played],
        events: list[audit.Event],
        nodes: Nodes,
        prober: Prober,
        nemesis: Nemesis,
    ) -> str:
        wrong = audit.check(events, nemesis.holds)
        seats: dict[str, list[SeatLog]] = {}
        compared = 0
        for one, other in zip(played, undisturbed, strict=True):
            replay = one.replay()
            found = checks.check_replay(self._program, one, self._folder)
            here = {
                number: seat_log.read(log) for number, log in enumerate(one.logs) if log is not None
            }
            seats[one.match_id] = list(here.values())
            for number, seat in here.items():
                found += checks.check_seat(seat, number, replay)
            differs = checks.difference(one, other, self._kinds)
            compared += differs is not None
            found += [differs] if differs else []
            wrong += [f"{one.match_id} of {one.planned.game}: {problem}" for problem in found]
        owners = audit.owners(events)
        wrong += checks.check_owners(prober.claims, owners)
        for node in [*nodes.all, nodes.forwarder]:
            wrong += node.check_logs()
        if wrong:
            raise FailedError(describe(wrong))
        return figures(plan, played, seats, events, owners, nodes, prober, nemesis, compared)

    def _end_bots(self) -> None:
        for one in self._in_play + self._over:
            for bot in one.bots:
                bot.end()


def _audit_problems(postgres: Postgres, nemesis: Nemesis) -> str:
    """Return the problems in the audit, which can explain why a run failed."""
    try:
        return describe(audit.check(audit.read(postgres), nemesis.holds))
    except FailedError:
        return "the audit cannot be read from the database"


def describe(wrong: list[str]) -> str:
    """Format the first problems."""
    return "\n".join([f"{len(wrong)} problems:", *wrong[:MAX_SHOWN]])


def decisions_of(one: Played) -> int:
    """Return the number of decisions of a match."""
    return int(one.replay().result.decisions)


def figures(
    plan: Plan,
    played: list[Played],
    seats: dict[str, list[SeatLog]],
    events: list[audit.Event],
    owners: dict[str, audit.Owners],
    nodes: Nodes,
    prober: Prober,
    nemesis: Nemesis,
    compared: int,
) -> str:
    """Format the figures of a run."""
    all_seats = [seat for of_match in seats.values() for seat in of_match]
    counts = Counter(event.what for event in events)
    moves = sum(len(owner.nodes) - 1 for owner in owners.values())
    players = Counter(player for one in plan.matches for player in one.players)
    ended = sum((node.exits for node in nodes.all), Counter())
    starts = sum(node.starts for node in nodes.all) - 1
    return "\n".join(
        [
            f"{len(played)} matches with {sum(map(decisions_of, played))} decisions, "
            f"seats by bot: {format_counts(players)}",
            f"{format_counts(nemesis.done)}; skipped: {format_counts(nemesis.skipped) or 'none'}",
            f"{starts} servers, exited by themselves: {format_counts(ended) or 'none'}",
            f"{moves} moves of matches, {counts[audit.COMMIT]} commits, "
            f"{counts[audit.NODE]} changes of leases and epochs",
            f"{len(all_seats)} seat logs with {sum(one.received for one in all_seats)} "
            f"messages on {sum(one.streams for one in all_seats)} streams, "
            f"{sum(one.repeated for one in all_seats)} repeated",
            f"{len(prober.claims)} answers of a node that it has a match, "
            f"{prober.refusals} refusals",
            f"{compared} matches compared with the run without failures",
            "",
        ]
    )


def format_counts(counted: "Counter[str]") -> str:
    """Format counts as a list."""
    return ", ".join(f"{count} {what}" for what, count in sorted(counted.items()))
