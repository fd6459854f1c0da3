"""Many matches that wait for their bots, over three nodes, one of which is killed."""

import time
from dataclasses import dataclass
from pathlib import Path

from language_tests.database import Postgres
from language_tests.processes import FailedError, until

from .load import Bots, make_waiting
from .numbers import Numbers
from .servers import Server, Setup, on_postgres, with_limits
from .spent import memory_kib

NODES = ("one", "two", "three")
IDLE_S = 20.0
"""Time in which nothing happens, and is measured: ten renewals of each lease."""
BESIDE = 64
"""Matches that are played at the survivors while they take over."""
THINK_MS = 100
USUAL_S = 8.0
"""Time in which it is measured how long their decisions take usually."""
LOOK_S = 0.25
LONGEST_S = 600.0


@dataclass(frozen=True)
class Plan:
    """What is made."""

    game: str
    waiting: int
    """Matches, over all nodes."""
    playing: int
    """Matches that are in play at the node that is killed."""


def measure(program: Path, bots: Path, folder: Path, plan: Plan) -> None:
    """Make the matches, measure while nothing happens, and kill a node."""
    made = with_limits(folder / "waiting", 4 * plan.waiting)
    extension = "pg_stat_statements"
    setup = on_postgres(program, made, "three", NODES, shared_preload_libraries=extension)
    try:
        postgres = setup.postgres
        if postgres is None:
            raise FailedError("there is no database")
        postgres.ask(f"CREATE EXTENSION {extension}")
        make(setup, postgres, bots, plan)
        idle(setup, postgres)
        doomed, *survivors = sorted(setup.servers, key=lambda server: leads(postgres, server))
        take_over(setup, postgres, bots, plan, doomed, survivors)
        start_again(postgres, survivors[-1])
    finally:
        setup.end()


def make(setup: Setup, postgres: Postgres, bots: Path, plan: Plan) -> None:
    """Make the matches that wait, and tell what they take."""
    empty = [memory_kib(server.pid) for server in setup.servers]
    database, size = setup.database_memory_kib(), setup.size_bytes()
    postgres.ask("SELECT pg_stat_statements_reset()")
    begun, before = time.monotonic(), setup.spent_s()
    make_waiting(bots, [server.url for server in setup.servers], plan.game, plan.waiting)
    took_s = time.monotonic() - begun
    nodes_s, database_s = spent_since(setup, before)
    print(
        f"\n{plan.waiting:,} matches of {plan.game} that wait, made in {took_s:.0f} s: CPU of "
        f"nodes {1e6 * nodes_s / plan.waiting:.0f} us a match, of the database "
        f"{1e6 * database_s / plan.waiting:.0f} us"
    )
    until(lambda: one(postgres, "SELECT count(*) FROM told_match") >= plan.waiting, LONGEST_S)
    all_told_s = time.monotonic() - begun
    print(
        f"all told to other nodes {all_told_s:.0f} s after the first was made; executed meanwhile"
    )
    executed(postgres, all_told_s)
    # What is written by then is as large as it stays.
    postgres.ask("CHECKPOINT")
    for server, was in zip(setup.servers, empty, strict=True):
        matches = matches_of(postgres, server)
        grown = memory_kib(server.pid) - was
        print(
            f"node {server.name}: {matches:,} matches, {was / 1024:.0f} MiB and "
            f"{grown / matches:.1f} KiB a match"
        )
    print(f"memory of the database: {database / 1024:.0f} MiB, now {mib(setup)} MiB")
    print(f"its size: {size / 2**20:.0f} MiB, now {setup.size_bytes() / 2**20:.0f} MiB, of which")
    for table in ("open_match", "told_match", "journal"):
        with_indexes = one(postgres, f"SELECT pg_total_relation_size('{table}')")
        print(f"    {table} {with_indexes / 2**20:.0f} MiB")


def idle(setup: Setup, postgres: Postgres) -> None:
    """Tell what is done while nothing happens."""
    postgres.ask("SELECT pg_stat_statements_reset()")
    begun, before = time.monotonic(), setup.spent_s()
    time.sleep(IDLE_S)
    nodes_s, database_s = spent_since(setup, before)
    time_s = time.monotonic() - begun
    print(
        "while nothing happens, each second: "
        f"{1e3 * nodes_s / time_s / len(setup.servers):.1f} ms of CPU a node, "
        f"{1e3 * database_s / time_s:.1f} ms of the database; it executes"
    )
    executed(postgres, time_s)


def executed(postgres: Postgres, time_s: float) -> None:
    """Tell what the database has executed in this time, since that was forgotten."""
    rows = postgres.ask(
        "SELECT calls, rows, total_exec_time / calls AS ms,"
        " regexp_replace(query, '\\s+', ' ', 'g') AS text FROM pg_stat_statements"
        " WHERE query NOT LIKE '%pg_stat%' ORDER BY total_exec_time DESC"
    )
    for row in rows:
        calls = int(row["calls"]) / time_s
        print(
            f"    {calls:8.2f} a second, {int(row['rows']) / int(row['calls']):6.1f} rows, "
            f"{float(row['ms']):8.3f} ms each: {row['text'][:66]}"
        )


def take_over(
    setup: Setup,
    postgres: Postgres,
    program: Path,
    plan: Plan,
    doomed: Server,
    survivors: list[Server],
) -> None:
    """Kill a node, and tell how long it takes until the others have its matches."""
    if plan.playing:
        left_in_play(setup, program, plan, doomed)
    beside = Bots(program, [server.url for server in survivors], plan.game, BESIDE, THINK_MS)
    try:
        time.sleep(USUAL_S / 2)
        beside.since()
        time.sleep(USUAL_S)
        print(f"\nbeside it {BESIDE} matches are played: {trips(beside)}")
        theirs, had = matches_of(postgres, doomed), in_play(survivors)
        setup.servers.remove(doomed)
        before = setup.spent_s()
        doomed.kill()
        begun, first_s = time.monotonic(), 0.0
        end_s = begun + LONGEST_S
        while matches_of(postgres, doomed) or in_play(survivors) < had + 0.999 * theirs:
            if time.monotonic() > end_s:
                raise FailedError(f"not taken over: {matches_of(postgres, doomed)} are left")
            if not first_s and matches_of(postgres, doomed) < theirs:
                first_s = time.monotonic() - begun
            time.sleep(LOOK_S)
        took_s = time.monotonic() - begun
        nodes_s, database_s = spent_since(setup, before)
        print(
            f"node {doomed.name} was killed with {theirs:,} matches, {plan.playing:,} of them in "
            f"play: the first were taken after {first_s:.1f} s, all after {took_s:.1f} s; "
            f"CPU of survivors {nodes_s:.1f} s, of the database {database_s:.1f} s; "
            f"meanwhile {trips(beside)}"
        )
        beside.finish()
    finally:
        beside.kill()
    for server in survivors:
        print(f"node {server.name} has {matches_of(postgres, server):,} matches")
        if "panicked" in server.log():
            raise FailedError(f"{server.name} panicked: {server.log()[-2000:]}")


def left_in_play(setup: Setup, program: Path, plan: Plan, doomed: Server) -> None:
    """Play matches at a node for a while, and kill their bots: their clocks are long."""
    playing = Bots(program, [doomed.url], plan.game, plan.playing, THINK_MS)
    try:
        until(lambda: setup.numbers().sum("matches", 'state="running"') >= 0.99 * plan.playing)
        # Half of a match of 75 decisions.
        time.sleep(75 / 2 * THINK_MS / 1e3)
    finally:
        playing.kill()


def start_again(postgres: Postgres, server: Server) -> None:
    """Kill a node, and tell how long it takes until it has its own matches again."""
    matches = matches_of(postgres, server)
    server.kill()
    begun = time.monotonic()
    server.start()
    until(server.listens, LONGEST_S)
    took_s = time.monotonic() - begun
    print(f"node {server.name}, started again, has its {matches:,} matches after {took_s:.1f} s")


def trips(bots: Bots) -> str:
    """Tell how long decisions took since this was asked the last time."""
    _, round_trips = bots.since()
    round_trips.sort()
    half, most = (round_trips[int(len(round_trips) * share)] / 1e3 for share in (0.5, 0.99))
    return f"{half:.1f} ms a decision in the median, {most:.1f} in the 99th percentile, " + (
        f"{round_trips[-1] / 1e3:.0f} at most"
    )


def spent_since(setup: Setup, before: tuple[float, float]) -> tuple[float, float]:
    """Return the processor time of servers and of the database since then."""
    (nodes_s, database_s), (nodes_then_s, database_then_s) = setup.spent_s(), before
    return nodes_s - nodes_then_s, database_s - database_then_s


def in_play(servers: list[Server]) -> float:
    """Return how many matches servers have restored, or made."""
    return Numbers.read(server.metrics for server in servers).sum("matches")


def leads(postgres: Postgres, server: Server) -> bool:
    """Tell whether a node leads."""
    return one(postgres, f"SELECT leads::int FROM node WHERE node_id = '{server.name}'") == 1


def matches_of(postgres: Postgres, server: Server) -> int:
    """Return how many matches a node has by the database: its number begins their keys."""
    return one(
        postgres,
        "SELECT count(*) FROM open_match JOIN node"
        " ON match_key > number << 40 AND match_key < (number + 1) << 40"
        f" WHERE node_id = '{server.name}'",
    )


def mib(setup: Setup) -> str:
    """Return the memory of the database."""
    return f"{setup.database_memory_kib() / 1024:.0f}"


def one(postgres: Postgres, select: str) -> int:
    """Return the only value that a statement selects."""
    return int(next(iter(postgres.ask(select)[0].values())))
