"""Costs of a decision on a server with SQLite, and on one or three with PostgreSQL."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from language_tests.processes import FailedError, wait_until

from .load import Bots
from .metrics import Metrics
from .servers import Setup, on_postgres, on_sqlite, with_limits

NODES = ("one", "two", "three")
CONNECTED = ("direct", "forwarded", "spread")
"""The servers that bots use: that of their match, another one, or each of the three for a third."""
OPEN_MATCHES = 10_000


@dataclass(frozen=True)
class Load:
    """The number of concurrent matches, and the thinking time of their bots per decision."""

    matches: int
    think_ms: int

    def text(self) -> str:
        """Describe the load."""
        thinking = f"think {self.think_ms} ms" if self.think_ms else "answer at once"
        return f"{self.matches} matches at once, bots that {thinking}"


@dataclass
class Turn:
    """The measurements of a setup in one turn."""

    time_s: float
    decisions: int
    round_trips_us: list[int]
    nodes_s: float
    database_s: float
    bots_s: float
    wal_bytes: int
    metrics: Metrics


@dataclass
class Measurement:
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
        commits = total(lambda turn: turn.metrics.sum("journal_commit_seconds_count"))
        writes = total(lambda turn: turn.metrics.sum("journal_batch_entries_sum"))
        commit_s = total(lambda turn: turn.metrics.sum("journal_commit_seconds_sum"))
        round_trips = sorted(trip for turn in self.turns for trip in turn.round_trips_us)
        median, p99 = (round_trips[int(len(round_trips) * share)] for share in (0.5, 0.99))
        handling = max(turn.metrics.quantile("handling_seconds", 0.99) for turn in self.turns)
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
            f"{median / 1e3:.1f}",
            f"{p99 / 1e3:.1f}",
            f"{1e6 * handling:.0f}",
        )
        return f"| {' | '.join(cells)} |"


HEAD = """\
| servers | decisions/s | CPU of servers, us per decision | of the database | of the bots \
| commits/s | writes per commit | commit, ms | WAL, bytes per decision \
| round trip p50, ms | p99, ms | handling p99, us |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Plan:
    """The matches to play, and the duration of the measurement."""

    game: str
    loads: list[Load]
    turns: int
    turn_s: float
    settings: dict[str, str]
    """PostgreSQL settings other than the defaults."""
    other: Path | None = None
    """Another program, whose servers with PostgreSQL are measured in alternate turns."""


def measure(program: Path, bots: Path, folder: Path, plan: Plan) -> None:
    """Measure the setups in turns under each load, and print a table for each load."""
    setups: list[Setup] = []
    rows: list[tuple[str, Setup, str]] = []
    programs = {"": program} | ({"other, ": plan.other} if plan.other else {})

    def add(setup: Setup, modes: tuple[str, ...]) -> None:
        setups.append(setup)
        rows.extend((f"{setup.name}, {mode}", setup, mode) for mode in modes)

    def add_postgres(name: str, nodes: tuple[str, ...], modes: tuple[str, ...]) -> None:
        for prefix, executable in programs.items():
            subfolder = with_limits(folder / f"{prefix}{name}".replace(", ", "-"), OPEN_MATCHES)
            title = f"{prefix}{name}, PostgreSQL"
            add(on_postgres(executable, subfolder, title, nodes, **plan.settings), modes)

    try:
        add(on_sqlite(program, with_limits(folder / "sqlite", OPEN_MATCHES)), CONNECTED[:1])
        add_postgres("one", NODES[:1], CONNECTED[:1])
        add_postgres("three", NODES, CONNECTED)
        for load in plan.loads:
            measured = [Measurement() for _ in rows]
            for _ in range(plan.turns):
                for (_, setup, mode), so_far in zip(rows, measured, strict=True):
                    so_far.turns.append(turn(setup, bots, plan.game, load, plan.turn_s, mode))
            of_load = f"{load.text()}, {plan.turns} turns of {plan.turn_s:g} s"
            print(f"\n{plan.game}, {of_load}:\n\n{HEAD}")
            for (name, _, _), of_row in zip(rows, measured, strict=True):
                print(of_row.row(name), flush=True)
        for setup in setups:
            check_fair(setup)
    finally:
        for setup in setups:
            setup.end()


def turn(setup: Setup, program: Path, game: str, load: Load, turn_s: float, connected: str) -> Turn:
    """Let bots play on a setup, and measure a part of that time."""
    urls = [server.url for server in setup.servers]
    bots = Bots(program, urls, game, load.matches, load.think_ms, connected)
    try:
        wait_until(lambda: running(setup) >= 0.9 * load.matches)
        # The measurement starts when the matches have reached different rounds.
        time.sleep(turn_s / 4)
        bots.since()
        metrics, wal_bytes = setup.metrics(), setup.wal_bytes()
        started_at = time.monotonic()
        before = (*setup.cpu_s(), bots.cpu_s())
        time.sleep(turn_s)
        after = (*setup.cpu_s(), bots.cpu_s())
        time_s = time.monotonic() - started_at
        decisions, round_trips = bots.since()
        metrics, wal_bytes = setup.metrics().since(metrics), setup.wal_bytes() - wal_bytes
        bots.finish()
    finally:
        bots.kill()
    spent = [later - earlier for later, earlier in zip(after, before, strict=True)]
    return Turn(time_s, decisions, round_trips, *spent, wal_bytes, metrics)


def running(setup: Setup) -> float:
    """Return the number of matches in progress."""
    return setup.metrics().sum("matches", 'state="running"')


def check_fair(setup: Setup) -> None:
    """Fail if bots had faults; print the number of matches spoiled by the servers' lag."""
    metrics = setup.metrics()
    if faults := metrics.sum("faults_total"):
        raise FailedError(f"{setup.name}: {faults:.0f} faults of bots that always answer")
    ended, spoiled = metrics.sum("matches_ended_total"), metrics.sum("matches_spoiled_total")
    print(
        f"{setup.name}: {ended:,.0f} matches, {spoiled:.0f} spoiled by lag, "
        f"{setup.size_bytes() / 1024 / ended:.1f} KiB of database per match"
    )
