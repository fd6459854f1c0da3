"""Costs of many matches that wait for their bots on three nodes, and of a killed node."""

import time
from dataclasses import dataclass
from pathlib import Path

from language_tests.database import Postgres
from language_tests.processes import FailedError, wait_until

from .cpu import memory_kib
from .load import Bots, create_waiting
from .metrics import Metrics
from .servers import Server, Setup, on_postgres, with_limits

NODES = ("one", "two", "three")
IDLE_S = 20.0
"""Duration of the idle measurement, in seconds: ten renewals of each lease."""
SURVIVOR_MATCHES = 64
"""Matches in progress at the survivors while they take over."""
THINK_MS = 100
BASELINE_S = 8.0
"""Duration of the measurement of the usual latency, in seconds."""
POLL_INTERVAL_S = 0.25
MAX_WAIT_S = 600.0


@dataclass(frozen=True)
class Plan:
    """The matches of the measurement."""

    game: str
    waiting: int
    """Number of waiting matches on all nodes."""
    playing: int
    """Number of matches in progress at the killed node."""


def measure(program: Path, bots: Path, folder: Path, plan: Plan) -> None:
    """Create the matches, measure while idle, and kill a node."""
    made = with_limits(folder / "waiting", 4 * plan.waiting)
    extension = "pg_stat_statements"
    setup = on_postgres(program, made, "three", NODES, shared_preload_libraries=extension)
    try:
        postgres = setup.postgres
        if postgres is None:
            raise FailedError("the setup has no database")
        postgres.query(f"CREATE EXTENSION {extension}")
        create(setup, postgres, bots, plan)
        idle(setup, postgres)
        doomed, *survivors = sorted(setup.servers, key=lambda server: leads(postgres, server))
        take_over(setup, postgres, bots, plan, doomed, survivors)
        restart(postgres, survivors[-1])
    finally:
        setup.end()


def create(setup: Setup, postgres: Postgres, bots: Path, plan: Plan) -> None:
    """Create the waiting matches, and print their costs."""
    empty = [memory_kib(server.pid) for server in setup.servers]
    database, size = setup.database_memory_kib(), setup.size_bytes()
    postgres.query("SELECT pg_stat_statements_reset()")
    started_at, before = time.monotonic(), setup.cpu_s()
    create_waiting(bots, [server.url for server in setup.servers], plan.game, plan.waiting)
    took_s = time.monotonic() - started_at
    nodes_s, database_s = cpu_since(setup, before)
    print(
        f"\n{plan.waiting:,} waiting matches of {plan.game}, created in {took_s:.0f} s: CPU of "
        f"nodes {1e6 * nodes_s / plan.waiting:.0f} us per match, of the database "
        f"{1e6 * database_s / plan.waiting:.0f} us"
    )
    # After the checkpoint the sizes no longer change.
    postgres.query("CHECKPOINT")
    for server, was in zip(setup.servers, empty, strict=True):
        matches = matches_of(postgres, server)
        grown = memory_kib(server.pid) - was
        print(
            f"node {server.name}: {matches:,} matches, {was / 1024:.0f} MiB and "
            f"{grown / matches:.1f} KiB per match"
        )
    print(f"memory of the database: {database / 1024:.0f} MiB before, {mib(setup)} MiB after")
    print(
        f"size: {size / 2**20:.0f} MiB before, {setup.size_bytes() / 2**20:.0f} MiB after, of which"
    )
    for table in ("open_match", "journal"):
        with_indexes = one(postgres, f"SELECT pg_total_relation_size('{table}')")
        print(f"    {table} {with_indexes / 2**20:.0f} MiB")


def idle(setup: Setup, postgres: Postgres) -> None:
    """Print the load while idle."""
    postgres.query("SELECT pg_stat_statements_reset()")
    started_at, before = time.monotonic(), setup.cpu_s()
    time.sleep(IDLE_S)
    nodes_s, database_s = cpu_since(setup, before)
    time_s = time.monotonic() - started_at
    print(
        "while idle, per second: "
        f"{1e3 * nodes_s / time_s / len(setup.servers):.1f} ms of CPU per node, "
        f"{1e3 * database_s / time_s:.1f} ms of the database; statements"
    )
    print_statements(postgres, time_s)


def print_statements(postgres: Postgres, time_s: float) -> None:
    """Print the statements of the database in this time, since the statistics were reset."""
    rows = postgres.query(
        "SELECT calls, rows, total_exec_time / calls AS ms,"
        " regexp_replace(query, '\\s+', ' ', 'g') AS text FROM pg_stat_statements"
        " WHERE query NOT LIKE '%pg_stat%' ORDER BY total_exec_time DESC"
    )
    for row in rows:
        calls = int(row["calls"]) / time_s
        print(
            f"    {calls:8.2f}/s, {int(row['rows']) / int(row['calls']):6.1f} rows, "
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
    """Kill a node, and print the time until the other nodes have its matches."""
    if plan.playing:
        start_abandoned(setup, program, plan, doomed)
    urls = [server.url for server in survivors]
    beside = Bots(program, urls, plan.game, SURVIVOR_MATCHES, THINK_MS)
    try:
        time.sleep(BASELINE_S / 2)
        beside.since()
        time.sleep(BASELINE_S)
        print(f"\n{SURVIVOR_MATCHES} matches in progress at the other nodes: {latency(beside)}")
        theirs, had = matches_of(postgres, doomed), loaded_matches(survivors)
        setup.servers.remove(doomed)
        before = setup.cpu_s()
        doomed.kill()
        started_at, first_s = time.monotonic(), 0.0
        end_s = started_at + MAX_WAIT_S
        while matches_of(postgres, doomed) or loaded_matches(survivors) < had + 0.999 * theirs:
            if time.monotonic() > end_s:
                raise FailedError(f"{matches_of(postgres, doomed)} matches were not taken over")
            if not first_s and matches_of(postgres, doomed) < theirs:
                first_s = time.monotonic() - started_at
            time.sleep(POLL_INTERVAL_S)
        took_s = time.monotonic() - started_at
        nodes_s, database_s = cpu_since(setup, before)
        print(
            f"node {doomed.name} was killed with {theirs:,} matches, {plan.playing:,} of them in "
            f"progress: the first were taken over after {first_s:.1f} s, all after {took_s:.1f} s; "
            f"CPU of survivors {nodes_s:.1f} s, of the database {database_s:.1f} s; "
            f"meanwhile {latency(beside)}"
        )
        beside.finish()
    finally:
        beside.kill()
    for server in survivors:
        print(f"node {server.name} has {matches_of(postgres, server):,} matches")
        if "panicked" in server.log():
            raise FailedError(f"{server.name} panicked: {server.log()[-2000:]}")


def start_abandoned(setup: Setup, program: Path, plan: Plan, doomed: Server) -> None:
    """Play matches with long clocks at a node for a while, and kill their bots."""
    playing = Bots(program, [doomed.url], plan.game, plan.playing, THINK_MS)
    try:
        wait_until(lambda: setup.metrics().sum("matches", 'state="running"') >= 0.99 * plan.playing)
        # Half of the 75 decisions of a match.
        time.sleep(75 / 2 * THINK_MS / 1e3)
    finally:
        playing.kill()


def restart(postgres: Postgres, server: Server) -> None:
    """Kill a node, and print the time until it has its own matches again."""
    matches = matches_of(postgres, server)
    server.kill()
    started_at = time.monotonic()
    server.start()
    wait_until(server.is_listening, MAX_WAIT_S)
    took_s = time.monotonic() - started_at
    print(f"node {server.name} has its {matches:,} matches {took_s:.1f} s after its restart")


def latency(bots: Bots) -> str:
    """Describe the latency of decisions since the last call."""
    _, round_trips = bots.since()
    round_trips.sort()
    median, p99 = (round_trips[int(len(round_trips) * share)] / 1e3 for share in (0.5, 0.99))
    return f"{median:.1f} ms per decision (median), {p99:.1f} ms (p99), " + (
        f"{round_trips[-1] / 1e3:.0f} ms (maximum)"
    )


def cpu_since(setup: Setup, before: tuple[float, float]) -> tuple[float, float]:
    """Return the CPU times of servers and database since then."""
    (nodes_s, database_s), (nodes_before_s, database_before_s) = setup.cpu_s(), before
    return nodes_s - nodes_before_s, database_s - database_before_s


def loaded_matches(servers: list[Server]) -> float:
    """Return the number of matches that the servers have restored or created."""
    return Metrics.read(server.metrics for server in servers).sum("matches")


def leads(postgres: Postgres, server: Server) -> bool:
    """Return whether a node is the leader."""
    return one(postgres, f"SELECT leads::int FROM node WHERE node_id = '{server.name}'") == 1


def matches_of(postgres: Postgres, server: Server) -> int:
    """Return the number of matches of a node in the database. Their keys start with its number."""
    return one(
        postgres,
        "SELECT count(*) FROM open_match JOIN node"
        " ON match_key > number << 40 AND match_key < (number + 1) << 40"
        f" WHERE node_id = '{server.name}'",
    )


def mib(setup: Setup) -> str:
    """Format the memory of the database in MiB."""
    return f"{setup.database_memory_kib() / 1024:.0f}"


def one(postgres: Postgres, select: str) -> int:
    """Return the only value of a query."""
    return int(next(iter(postgres.query(select)[0].values())))
