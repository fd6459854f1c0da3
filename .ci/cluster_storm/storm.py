"""A storm: matches without failures, then the same matches with failures, then the checks."""

import secrets
import signal
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from language_tests.database import Postgres
from language_tests.ports import free_port
from language_tests.processes import FailedError, serving, wait_until

from . import audit, checks, seat_log
from .bots import Kind
from .checks import Played
from .client import Client
from .matches import Matches, decisions_of, describe
from .nemesis import Nemesis
from .nodes import Nodes
from .plan import Plan, PlannedMatch
from .prober import Prober
from .seat_log import SeatLog

STUCK_S = 150.0
"""Time without a decision after which matches count as stuck: far longer than any outage of a node
or the database."""
SLOW_FLUSH = {"fsync": "on", "commit_delay": "5000", "commit_siblings": "0"}
"""Delays each flush by 5 ms, so that nodes have several pending commits, and lose some of them when
the database is killed."""


class Storm:
    """A run of the storm, with its matches and bots."""

    def __init__(self, program: Path, folder: Path, kinds: dict[str, Kind], at_once: int) -> None:
        """Prepare the run; logs and data are written to the folder."""
        self._program, self._folder, self._kinds = program, folder, kinds
        self._matches = Matches(program, folder, kinds, at_once)

    def run(self, plan: Plan) -> str:
        """Play and check the matches, and return the figures."""
        started_at = time.monotonic()
        undisturbed = self._without_failures(plan)
        expected = {one.planned.number: decisions_of(one) for one in undisturbed}
        undisturbed_s = time.monotonic() - started_at
        with ExitStack() as stack:
            stack.callback(self._matches.end_bots)
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
                self._in_storm(plan, Client(urls), expected, nodes, prober, nemesis)
                nemesis.wait()
                took_s = time.monotonic() - started_at
                nodes.check()
                played = self._matches.played(Client(urls))
            except FailedError as failure:
                raise FailedError(
                    f"{failure}\n{_audit_problems(postgres, nodes, nemesis)}"
                ) from failure
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
                client = Client([url])
                self._matches.play(
                    "without-failures", plan.matches, client, lambda _: url, 3 * STUCK_S
                )
                return self._matches.played(client)
            finally:
                self._matches.end_bots()

    def _in_storm(
        self,
        plan: Plan,
        client: Client,
        expected: dict[int, int],
        nodes: Nodes,
        prober: Prober,
        nemesis: Nemesis,
    ) -> None:
        matches, events = self._matches, list(plan.events)

        def urls_of(planned: PlannedMatch) -> str:
            return f"{nodes.forwarder.url},{nodes.urls}" if planned.is_forwarded else nodes.urls

        def progress() -> int:
            nodes.check()
            prober.watch([one.created.match_id for one in matches.in_play])
            now = sum(expected[one.planned.number] for one in matches.over)
            now += sum(prober.decisions(one.created.match_id) for one in matches.in_play)
            if events and now >= events[0].at * sum(expected.values()):
                nemesis.begin(events.pop(0))
            # An injected failure also counts as progress.
            return now - len(events)

        matches.play("storm", plan.matches, client, urls_of, STUCK_S, progress)
        if events:
            nemesis.skip(events)
            if 2 * len(events) > len(plan.events):
                raise FailedError(f"matches were over before {len(events)} disruptions: {events}")

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
        wrong = audit.check(events, nemesis.holds, nodes.ends)
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


def _audit_problems(postgres: Postgres, nodes: Nodes, nemesis: Nemesis) -> str:
    """Return the problems in the audit, which can explain why a run failed."""
    try:
        return describe(audit.check(audit.read(postgres), nemesis.holds, nodes.ends))
    except FailedError:
        return "the audit cannot be read from the database"


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
    every = [*nodes.all, nodes.forwarder]
    times = sorted(
        time for node in every for time in audit.takeover_times(events, node.name, node.killed)
    )
    takeovers = f"from a kill to the takeover: {', '.join(f'{time:.1f}' for time in times)} s"
    return "\n".join(
        [
            f"{len(played)} matches with {sum(map(decisions_of, played))} decisions, "
            f"seats by bot: {format_counts(players)}",
            f"{format_counts(nemesis.done)}; skipped: {format_counts(nemesis.skipped) or 'none'}",
            f"{starts} server processes; exited by themselves: {format_counts(ended) or 'none'}",
            takeovers if times else "no killed node was taken over",
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
