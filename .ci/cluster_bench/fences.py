"""Throughput of concurrent commits to one PostgreSQL, each with the fence of its node."""

import re
import signal
from pathlib import Path

from language_tests.database import USER, Postgres
from language_tests.processes import FailedError, wait_until

from .cpu import tree_cpu_s
from .servers import Server, create_postgres, with_limits

NODES = (1, 3, 10, 30, 100)
BODY_BYTES = 2_000
"""The size of a batch with about ten decisions."""
FIRST = 1_000
"""The number of the first node, above those of the servers."""
COMMIT = f"""\
\\set number {FIRST} + :client_id
\\set first :number * 1099511627776
\\set batch :batch + 1
BEGIN \\; SELECT lease_until > clock_timestamp() FROM (
    SELECT lease_until FROM node WHERE number = :number AND epoch = 0 FOR KEY SHARE) AS locked;
INSERT INTO journal (batch, body)
    SELECT :first + :batch, decode(repeat('ab', {BODY_BYTES}), 'hex')
    WHERE :first + :batch - 1 = (SELECT coalesce(max(batch), :first) FROM journal
        WHERE batch > :first AND batch <= :first + 1099511627776);
SET LOCAL statement_timeout = 0 \\; COMMIT;
"""
"""The statements of a node for a commit of decisions, in three round trips."""


def measure(program: Path, folder: Path, time_s: float) -> None:
    """Measure the rate and the cost of commits with an increasing number of nodes."""
    made = with_limits(folder / "fences", 10_000)
    postgres = create_postgres(made, max_connections=str(2 * max(NODES)))
    try:
        # The server creates the tables.
        server = Server(program, made, "first", ["--store", postgres.url()])
        server.start()
        wait_until(server.is_listening)
        server.kill()
        nodes = f"generate_series({FIRST}, {FIRST + max(NODES)}) AS n"
        postgres.query(
            "INSERT INTO node (node_id, epoch, number, lease_until)"
            f" SELECT 'node ' || n, 0, n, 'infinity' FROM {nodes}"
        )
        script = made / "commit.sql"
        script.write_text(COMMIT)
        print("\n| concurrent nodes | commits/s | commit, ms | CPU, us per commit |")
        print("|---|---|---|---|")
        for count in NODES:
            print(row(postgres, script, count, time_s), flush=True)
    finally:
        postgres.stop(signal.SIGINT)


def row(postgres: Postgres, script: Path, nodes: int, time_s: float) -> str:
    """Let this number of nodes commit, and format the row of the table."""
    postgres.query(f"DELETE FROM journal WHERE batch > {FIRST}::bigint << 40")
    flags = ["--no-vacuum", "--define=batch=0", f"--file={script}", f"--time={time_s:.0f}"]
    before = tree_cpu_s(postgres.pid)
    done = postgres.run("pgbench", *flags, f"--client={nodes}", "--jobs=1", USER)
    spent = tree_cpu_s(postgres.pid) - before
    figures = [
        re.search(pattern, done.stdout)
        for pattern in (r"tps = (\S+)", r"latency average = (\S+)", r"processed: (\d+)")
    ]
    rate, latency, commits = (float(figure[1]) if figure else 0.0 for figure in figures)
    if done.returncode != 0 or not commits:
        raise FailedError(f"pgbench: {done.stdout}{done.stderr}")
    return f"| {nodes} | {rate:,.0f} | {latency:.1f} | {1e6 * spent / commits:.0f} |"
