"""What a decision costs on one server with SQLite, on one with PostgreSQL, and on three."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from language_tests.processes import FailedError, until

from .load import Bots
from .numbers import Numbers
from .servers import Setup, on_postgres, on_sqlite, with_limits

NODES = ("one", "two", "three")
OPEN_MATCHES = 10_000


@dataclass(frozen=True)
class Load:
    """Matches at once, and what their bots think about a decision."""

    matches: int
    think_ms: int

    def text(self) -> str:
        """Return it in words."""
        thinking = f"think {self.think_ms} ms" if self.think_ms else "answer at once"
        return f"{self.matches} matches at once, bots that {thinking}"


@dataclass
class Turn:
    """What a setup did in some time."""

    time_s: float
    decisions: int
    round_trips_us: list[int]
    nodes_s: float
    database_s: float
    bots_s: float
    wal_bytes: int
    numbers: Numbers


@dataclass
class Measured:
    """The turns of a setup under a load."""

    turns: list[Turn] = field(default_factory=list)

    def row(self, name: str) -> str:
        """Return the row of the table."""

        def total(of: Callable[[Turn], float]) -> float:
            return sum(map(of, self.turns))

        def each(of: Callable[[Turn], float]) -> str:
            single = [1e6 * of(turn) / turn.decisions for turn in self.turns]
            mean = 1e6 * total(of) / total(lambda turn: turn.decisions)
            return f"{mean:.0f} ({min(single):.0f} to {max(single):.0f})"

        time_s = total(lambda turn: turn.time_s)
        wal_bytes = total(lambda turn: turn.wal_bytes) / total(lambda turn: turn.decisions)
        commits = total(lambda turn: turn.numbers.sum("journal_commit_seconds_count"))
        writes = total(lambda turn: turn.numbers.sum("journal_batch_entries_sum"))
        commit_s = total(lambda turn: turn.numbers.sum("journal_commit_seconds_sum"))
        round_trips = sorted(trip for turn in self.turns for trip in turn.round_trips_us)
        half, most = (round_trips[int(len(round_trips) * share)] for share in (0.5, 0.99))
        handling = max(turn.numbers.within("handling_seconds", 0.99) for turn in self.turns)
        cells = (
            name,
            f"{total(lambda turn: turn.decisions) / time_s:,.0f}",
            each(lambda turn: turn.nodes_s),
            each(lambda turn: turn.database_s) if total(lambda turn: turn.database_s) else "",
            each(lambda turn: turn.bots_s),
            f"{commits / time_s:,.0f}",
            f"{writes / commits:.1f}",
            f"{1e3 * commit_s / commits:.1f}",
            f"{wal_bytes:,.0f}" if wal_bytes else "",
            f"{half / 1e3:.1f}",
            f"{most / 1e3:.1f}",
            f"{1e6 * handling:.0f}",
        )
        return f"| {' | '.join(cells)} |"


HEAD = """\
| servers | decisions a second | CPU of servers, us a decision | of the database | of the bots \
| commits a second | writes a commit | a commit, ms | WAL, bytes a decision \
| round trip p50, ms | p99, ms | handled within, p99, us |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Plan:
    """What is measured, and how long."""

    game: str
    loads: list[Load]
    turns: int
    turn_s: float
    settings: dict[str, str]
    """Of PostgreSQL, beside those that it is installed with."""
    other: Path | None = None
    """Another program, whose servers over PostgreSQL take turns with these."""


def measure(program: Path, bots: Path, folder: Path, plan: Plan) -> None:
    """Let the setups take turns under each load, and print a table of each."""
    setups: list[Setup] = []
    programs = {"": program} | ({"other, ": plan.other} if plan.other else {})

    def over_postgres(name: str, nodes: tuple[str, ...]) -> None:
        for which, its in programs.items():
            of_setup = with_limits(folder / f"{which}{name}".replace(", ", "-"), OPEN_MATCHES)
            named = f"{which}{name}, PostgreSQL"
            setups.append(on_postgres(its, of_setup, named, nodes, **plan.settings))

    try:
        setups.append(on_sqlite(program, with_limits(folder / "sqlite", OPEN_MATCHES)))
        over_postgres("one", NODES[:1])
        over_postgres("three", NODES)
        for load in plan.loads:
            measured = [Measured() for _ in setups]
            for _ in range(plan.turns):
                for setup, so_far in zip(setups, measured, strict=True):
                    so_far.turns.append(turn(setup, bots, plan.game, load, plan.turn_s))
            of_load = f"{load.text()}, {plan.turns} turns of {plan.turn_s:g} s"
            print(f"\n{plan.game}, {of_load}:\n\n{HEAD}")
            for setup, of_setup in zip(setups, measured, strict=True):
                print(of_setup.row(setup.name), flush=True)
        for setup in setups:
            must_be_fair(setup)
    finally:
        for setup in setups:
            setup.end()


def turn(setup: Setup, program: Path, game: str, load: Load, turn_s: float) -> Turn:
    """Let bots play at a setup, and measure a part of that."""
    urls = [server.url for server in setup.servers]
    bots = Bots(program, urls, game, load.matches, load.think_ms)
    try:
        until(lambda: running(setup) >= 0.9 * load.matches)
        # Not all are in their first rounds any more.
        time.sleep(turn_s / 4)
        bots.since()
        numbers, wal_bytes = setup.numbers(), setup.wal_bytes()
        begun = time.monotonic()
        before = (*setup.spent_s(), bots.spent_s())
        time.sleep(turn_s)
        after = (*setup.spent_s(), bots.spent_s())
        time_s = time.monotonic() - begun
        decisions, round_trips = bots.since()
        numbers, wal_bytes = setup.numbers().since(numbers), setup.wal_bytes() - wal_bytes
        bots.finish()
    finally:
        bots.kill()
    spent = [later - earlier for later, earlier in zip(after, before, strict=True)]
    return Turn(time_s, decisions, round_trips, *spent, wal_bytes, numbers)


def running(setup: Setup) -> float:
    """Return how many matches are played."""
    return setup.numbers().sum("matches", 'state="running"')


def must_be_fair(setup: Setup) -> None:
    """Fail where bots were not served as they should be; tell what the servers' own lag did."""
    numbers = setup.numbers()
    if faults := numbers.sum("faults_total"):
        raise FailedError(f"{setup.name}: {faults:.0f} faults of bots that answer")
    ended, spoiled = numbers.sum("matches_ended_total"), numbers.sum("matches_spoiled_total")
    print(
        f"{setup.name}: {ended:,.0f} matches, {spoiled:.0f} spoiled by lag, "
        f"{setup.size_bytes() / 1024 / ended:.1f} KiB of database a match"
    )
