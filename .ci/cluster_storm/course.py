"""The course of a storm: matches undisturbed, then the same in the storm, then the verdict."""

import secrets
import signal
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from language_tests.database import Postgres
from language_tests.ports import free_port
from language_tests.processes import FailedError, serving, until

from . import audit, told, verdict
from .desk import Desk, Made
from .field import Bot, Kind
from .nemesis import Nemesis
from .nodes import Nodes
from .plan import Plan, PlannedMatch
from .prober import Prober
from .told import Seat
from .verdict import Played

SEATS = 16
"""More than any match has, so that each seat of a run has a number of its own."""
LOOK_S = 0.05
"""How often it is looked which bots have ended."""
STUCK_S = 150.0
"""Time without a decision after which matches are said to stand still: far more than a node or the
database is away."""
SLOW_FLUSH = {"fsync": "on", "commit_delay": "5000", "commit_siblings": "0"}
"""Has each flush wait 5 ms: so nodes have several commits on their way, and lose some of them when
the database is killed."""
SHOWN = 20
"""Problems that are shown."""


@dataclass
class InPlay:
    """A match and its bots."""

    planned: PlannedMatch
    made: Made
    bots: list[Bot]


class Course:
    """A run of the storm."""

    def __init__(self, program: Path, folder: Path, kinds: dict[str, Kind], at_once: int) -> None:
        """Prepare it; what comes of it goes into the folder."""
        self._program, self._folder = program, folder
        self._kinds, self._at_once = kinds, at_once
        self._in_play: list[InPlay] = []
        self._over: list[InPlay] = []

    def run(self, plan: Plan) -> str:
        """Play it, check it, and return the figures."""
        begun = time.monotonic()
        undisturbed = self._undisturbed(plan)
        expected = {one.planned.number: decisions_of(one) for one in undisturbed}
        undisturbed_s = time.monotonic() - begun
        with ExitStack() as stack:
            stack.callback(self._end_bots)
            database = self._folder / "database"
            database.mkdir()
            # The user who runs it goes through the folder.
            self._folder.chmod(0o755)
            postgres = Postgres(database, secrets.token_hex(16), **SLOW_FLUSH)
            stack.callback(postgres.stop, signal.SIGINT)
            postgres.start()
            postgres.make_database()
            nodes = Nodes(self._program, self._folder, postgres)
            stack.callback(nodes.end)
            # The first server makes the tables that the audit is of.
            first = nodes.all[0]
            first.start()
            until(first.is_listening)
            first.kill()
            audit.install(postgres)
            first.is_down_on_purpose = False
            nodes.start()
            postgres.must_be_reached_by_tls()
            names, urls = [node.name for node in nodes.all], [node.url for node in nodes.all]
            prober = Prober(names, urls)
            prober.start()
            nemesis = Nemesis(nodes, postgres)
            begun = time.monotonic()
            try:
                self._play(plan, Desk(urls), nodes.urls, expected, nodes, prober, nemesis)
                nemesis.wait()
                took_s = time.monotonic() - begun
                nodes.must_be_well()
                played = self._played(Desk(urls))
            except FailedError as failure:
                raise FailedError(f"{failure}\n{_seen(postgres, nemesis)}") from failure
            finally:
                (self._folder / "troubles.txt").write_text("\n".join(nemesis.says) + "\n")
            prober.end()
            events = audit.read(postgres)
            return self._judge(plan, undisturbed, played, events, nodes, prober, nemesis) + (
                f"undisturbed {undisturbed_s:.0f} s, in the storm {took_s:.0f} s"
            )

    def _undisturbed(self, plan: Plan) -> list[Played]:
        flags = ("--listen", f"127.0.0.1:{free_port()}", "--no-page")
        with serving(self._program, *flags) as (_, url):
            try:
                self._play(plan, Desk([url]), url, {}, None, None, None)
                return self._played(Desk([url]))
            finally:
                self._end_bots()

    def _play(
        self,
        plan: Plan,
        desk: Desk,
        urls: str,
        expected: dict[int, int],
        nodes: Nodes | None,
        prober: Prober | None,
        nemesis: Nemesis | None,
    ) -> None:
        logs = self._folder / ("storm" if nodes else "undisturbed")
        logs.mkdir()
        self._in_play, self._over = [], []
        waiting, events = list(plan.matches), list(plan.events)
        moved_at, made = time.monotonic(), -1
        while waiting or self._in_play:
            while waiting and len(self._in_play) < self._at_once:
                self._in_play.append(self._begin(waiting.pop(0), desk, urls, logs))
            self._end_those_that_are_over()
            if nodes and prober and nemesis:
                nodes.must_be_well()
                prober.watch([one.made.match_id for one in self._in_play])
                now = self._decisions(expected, prober)
                moved_at, made = (time.monotonic(), now) if now != made else (moved_at, made)
                if events and now >= events[0].at * sum(expected.values()):
                    nemesis.begin(events.pop(0))
                    moved_at = time.monotonic()
            elif len(self._over) != made:
                moved_at, made = time.monotonic(), len(self._over)
            # Without a prober it is seen only when a whole match is over.
            if time.monotonic() - moved_at > (STUCK_S if prober else 3 * STUCK_S):
                stuck = [one.made.match_id for one in self._in_play]
                raise FailedError(f"matches stand still: {stuck}")
            time.sleep(LOOK_S)
        if nemesis and events:
            nemesis.leave_out(events)
            if 2 * len(events) > len(plan.events):
                raise FailedError(f"matches were over before {len(events)} troubles: {events}")

    def _begin(self, planned: PlannedMatch, desk: Desk, urls: str, logs: Path) -> InPlay:
        made = desk.make(planned)
        bots = [
            Bot(
                self._kinds[player],
                self._program,
                logs / f"{planned.number:03}-{made.match_id}-{seat}-{player}.log",
                planned.number * SEATS + seat,
                BRIDGEMASTER_SERVER=urls,
                BRIDGEMASTER_TICKET=made.tickets[seat],
            )
            for seat, player in enumerate(planned.players)
        ]
        return InPlay(planned, made, bots)

    def _end_those_that_are_over(self) -> None:
        over = [one for one in self._in_play if all([bot.has_ended() for bot in one.bots])]
        self._over += over
        self._in_play = [one for one in self._in_play if one not in over]

    def _decisions(self, expected: dict[int, int], prober: Prober) -> int:
        over = sum(expected[one.planned.number] for one in self._over)
        return over + sum(prober.decisions(one.made.match_id) for one in self._in_play)

    def _played(self, desk: Desk) -> list[Played]:
        played = []
        for one in sorted(self._over, key=lambda one: one.planned.number):
            files = [desk.replay(one.made.match_id, node) for node in range(len(desk.stubs))]
            if len(set(files)) > 1:
                raise FailedError(f"nodes tell {one.made.match_id} differently")
            seats = [bot.log if bot.kind.writes_down else None for bot in one.bots]
            played.append(Played(one.planned, one.made.match_id, seats, files[0]))
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
        seats: dict[str, list[Seat]] = {}
        compared = 0
        for one, other in zip(played, undisturbed, strict=True):
            replay = one.replay()
            found = verdict.of_replay(self._program, one, self._folder)
            here = {
                number: told.read(log) for number, log in enumerate(one.logs) if log is not None
            }
            seats[one.match_id] = list(here.values())
            for number, seat in here.items():
                found += verdict.of_seat(seat, number, replay)
            differs = verdict.difference(one, other, self._kinds)
            compared += differs is not None
            found += [differs] if differs else []
            wrong += [f"{one.match_id} of {one.planned.game}: {problem}" for problem in found]
        owners = audit.owners(events)
        answered, late = verdict.of_owners(seats, prober.claims, owners, nodes.all)
        wrong += answered
        for node in nodes.all:
            wrong += node.check_logs()
        if wrong:
            raise FailedError(shown(wrong))
        return words(plan, played, seats, events, owners, nodes, prober, nemesis, compared, late)

    def _end_bots(self) -> None:
        for one in self._in_play + self._over:
            for bot in one.bots:
                bot.end()


def _seen(postgres: Postgres, nemesis: Nemesis) -> str:
    """Return what the database saw that may say why a run failed, if it can be asked."""
    try:
        return shown(audit.check(audit.read(postgres), nemesis.holds))
    except FailedError:
        return "the database cannot be asked what it saw"


def shown(wrong: list[str]) -> str:
    """Return what is wrong, as far as it is shown."""
    return "\n".join([f"{len(wrong)} things are wrong:", *wrong[:SHOWN]])


def decisions_of(one: Played) -> int:
    """Return how many decisions a match had."""
    return int(one.replay().result.decisions)


def words(
    plan: Plan,
    played: list[Played],
    seats: dict[str, list[Seat]],
    events: list[audit.Event],
    owners: dict[str, audit.Owners],
    nodes: Nodes,
    prober: Prober,
    nemesis: Nemesis,
    compared: int,
    late: int,
) -> str:
    """Return the figures."""
    all_seats = [seat for of_match in seats.values() for seat in of_match]
    whats = Counter(event.what for event in events)
    moves = sum(len(owner.nodes) - 1 for owner in owners.values())
    players = Counter(player for one in plan.matches for player in one.players)
    ended = sum((node.ended_by_itself for node in nodes.all), Counter())
    starts = sum(node.starts for node in nodes.all) - 1
    return "\n".join(
        [
            f"{len(played)} matches with {sum(map(decisions_of, played))} decisions, "
            f"seats by bot: {told_of(players)}",
            f"{told_of(nemesis.done)}; not run: {told_of(nemesis.left_out) or 'nothing'}",
            f"{starts} servers, of which ended by themselves: {told_of(ended) or 'none'}",
            f"{moves} times a match moved, {whats[audit.COMMIT]} commits, "
            f"{whats[audit.NODE]} changes of leases and epochs",
            f"{len(all_seats)} seats wrote down {sum(len(one.told_at) for one in all_seats)} "
            f"messages on {sum(one.streams for one in all_seats)} streams, "
            f"{sum(one.again for one in all_seats)} came again, {late} from servers that woke",
            f"{len(prober.claims)} answers of a node that it has a match, "
            f"{prober.refusals} refusals",
            f"{compared} matches compared with the undisturbed run",
            "",
        ]
    )


def told_of(counted: "Counter[str]") -> str:
    """Return counts in words."""
    return ", ".join(f"{count} {what}" for what, count in sorted(counted.items()))
