"""Injects the failures of the plan."""

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable

from language_tests.database import Postgres
from language_tests.processes import FailedError, wait_until

from .audit import LEASE_S, Hold
from .nodes import USUAL_DELAY_S, Node, Nodes
from .plan import Disruption, Event

TAKEOVER_S = (10.5, 13.0)
"""Time in which other nodes take over the matches of a node, in seconds: a lease, a poll interval,
and the time after which PostgreSQL aborts an idle transaction."""
SLOW_S = (1.2, 2.2)
"""One-way delay of a slow connection between node and database, in seconds: no renewal is answered
in
time, and a commit takes longer than the rest of a lease."""
SLOW_FOR_S = (12.0, 16.0)
BRIEF_S = (5.0, 7.0)
"""Duration of a suspension that is shorter than a lease, in seconds."""
STUTTER_FOR_S = (6.0, 10.0)
JUMP_S = 200_000
"""The largest jump of a clock, in seconds."""
BASE_WEIGHT = 0.2
"""The weight with which a node without matches is chosen as the victim; each match adds 1."""
TERMINATE_ONE = """SELECT pg_terminate_backend(pid) FROM (
    SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND xact_start IS NULL
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY random() LIMIT 1
) AS holder"""
"""Ends the session that renews the lease of a node. Only such a session holds a lock outside of
transactions."""
TERMINATE_ALL = """SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE usename = current_user AND pid <> pg_backend_pid()"""
MAX_CONCURRENT = 2
"""Maximum number of concurrent disruptions, so that one of three nodes is healthy."""


class Nemesis:
    """Injects disruptions, each on its own thread."""

    def __init__(self, nodes: Nodes, postgres: Postgres) -> None:
        """Prepare the injection."""
        self._nodes, self._postgres = nodes, postgres
        self._slots = threading.Semaphore(MAX_CONCURRENT)
        self._database = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._failure: Exception | None = None
        self.done: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.holds: list[Hold] = []
        self.log: list[str] = []
        self.started_s = time.time()

    def begin(self, event: Event) -> None:
        """Start a disruption, once a slot is free."""
        if self._failure is not None:
            raise FailedError(f"a disruption could not be injected: {self._failure!r}")
        self._slots.acquire()
        thread = threading.Thread(target=self._run, args=(event,), daemon=True)
        thread.start()
        self._threads.append(thread)
        if not event.overlaps:
            thread.join()

    def skip(self, events: list[Event]) -> None:
        """Count disruptions that are not injected, because no match is left for them."""
        self.skipped.update(event.what.value for event in events)

    def wait(self) -> None:
        """Wait for the end of all disruptions."""
        for thread in self._threads:
            thread.join()
        if self._failure is not None:
            raise FailedError(f"a disruption could not be injected: {self._failure!r}")

    def _run(self, event: Event) -> None:
        try:
            self._do(event)
        except Exception as failure:
            self._failure = failure
        finally:
            self._slots.release()

    def _do(self, event: Event) -> None:
        luck = random.Random(event.seed)
        if event.what is Disruption.DATABASE:
            with self._database:
                self._record(event, "the database")
                self._restart_database(luck)
        elif event.what is Disruption.TERMINATE:
            with self._database:
                self._terminate_sessions(event, is_one=event.number % 2 == 0)
        elif event.what is Disruption.CLOCK:
            node = self._nodes.all[-1]
            if node.clock is None:
                self.skipped[event.what.value] += 1
                return
            self._record(event, node.name)
            node.jump(luck.randint(-JUMP_S, JUMP_S))
        elif event.what is Disruption.FORWARDER:
            node = self._nodes.forwarder
            with node.busy:
                # The kinds take turns, so that even a short storm has all of them.
                action = [kill, suspend, suspend_briefly, stutter][event.number % 4]
                self._record(event, action.__name__)
                action(node, luck)
        else:
            actions: dict[Disruption, Callable[[Node, random.Random], None]] = {
                Disruption.KILL: kill,
                Disruption.ZOMBIE: suspend,
                Disruption.CUT: cut,
                Disruption.SLOW: slow,
                Disruption.HOLD: self._hold,
            }
            node = self._victim(luck)
            try:
                self._record(event, node.name)
                actions[event.what](node, luck)
            finally:
                node.busy.release()
        self.done[event.what.value] += 1

    def _record(self, event: Event, target: str) -> None:
        self.log.append(f"{time.time() - self.started_s:7.1f} s {event.what.value}: {target}")

    def _victim(self, luck: random.Random) -> Node:
        """Acquire a node without a disruption, weighted by its matches; the caller releases it."""
        matches = self._matches()
        weights = [BASE_WEIGHT + matches.get(node.name, 0) for node in self._nodes.all]
        preferred = luck.choices(self._nodes.all, weights)
        for node in preferred + luck.sample(self._nodes.all, len(self._nodes.all)):
            if node.busy.acquire(blocking=False):
                return node
        raise FailedError("every node has a disruption")

    def _matches(self) -> dict[str, int]:
        try:
            rows = self._postgres.query(
                "SELECT node_id, count(match_key) AS matches FROM node "
                "LEFT JOIN open_match ON match_key >> 40 = number GROUP BY node_id"
            )
        except FailedError:
            # The database is down now.
            return {}
        return {row["node_id"]: int(row["matches"]) for row in rows}

    def _restart_database(self, luck: random.Random) -> None:
        self._postgres.stop(luck.choice([signal.SIGQUIT, signal.SIGKILL]))
        time.sleep(luck.uniform(0.0, 3.0))
        self._postgres.start()

    def _terminate_sessions(self, event: Event, *, is_one: bool) -> None:
        self._record(event, "one" if is_one else "all")
        self._postgres.query(TERMINATE_ONE if is_one else TERMINATE_ALL)

    def _hold(self, node: Node, _: random.Random) -> None:
        with self._database:
            rows = self._postgres.query(HOLD.format(node=node.name))
        self.holds.append(Hold(node.name, float(rows[0]["started"]), float(rows[0]["ended"])))


HOLD = f"""
DO $$
DECLARE
    started DOUBLE PRECISION;
BEGIN
    PERFORM 1 FROM node WHERE node_id = '{{node}}' FOR UPDATE;
    started := extract(epoch FROM clock_timestamp());
    -- Until the lease has expired; it cannot be renewed meanwhile.
    PERFORM pg_sleep({LEASE_S + 0.5});
    -- Waiting renewals would succeed before the node takes the lock.
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE node SET draining%';
    PERFORM set_config('storm.started', started::text, false);
    PERFORM set_config('storm.ended', extract(epoch FROM clock_timestamp())::text, false);
END $$;
SELECT current_setting('storm.started') AS started, current_setting('storm.ended') AS ended
"""
"""Locks the row of a node; psql runs each statement in its own transaction."""


def kill(node: Node, luck: random.Random) -> None:
    """Kill a node, and restart it at once, or after other nodes have its matches."""
    node.kill()
    if luck.random() < 0.5:
        time.sleep(luck.uniform(*TAKEOVER_S))
    node.restart()
    wait_until(node.is_listening)


def suspend(node: Node, luck: random.Random) -> None:
    """Suspend a node, and resume it after other nodes have its matches."""
    node.suspend()
    time.sleep(luck.uniform(*TAKEOVER_S))
    node.resume()


def suspend_briefly(node: Node, luck: random.Random) -> None:
    """Suspend a node for longer than the time for a decision, but less than a lease."""
    node.suspend()
    time.sleep(luck.uniform(*BRIEF_S))
    node.resume()


def stutter(node: Node, luck: random.Random) -> None:
    """Let a node run only intermittently, like a node on an overloaded machine."""
    end_s = time.monotonic() + luck.uniform(*STUTTER_FOR_S)
    while time.monotonic() < end_s:
        node.suspend()
        time.sleep(luck.uniform(0.05, 0.5))
        node.resume()
        time.sleep(luck.uniform(0.01, 0.1))


def cut(node: Node, luck: random.Random) -> None:
    """Disconnect a node from the database, briefly or until other nodes have its matches."""
    away_s = luck.choice([luck.uniform(0.0, 4.0), luck.uniform(*TAKEOVER_S)])
    if luck.random() < 0.5:
        node.proxy.forward_to(None)
        node.proxy.cut_all()
        time.sleep(away_s)
        node.proxy.forward_to(node.database)
    else:
        node.proxy.pause()
        time.sleep(away_s)
        node.proxy.resume()


def slow(node: Node, luck: random.Random) -> None:
    """Delay every message between a node and the database by seconds."""
    node.proxy.delay(luck.uniform(*SLOW_S))
    time.sleep(luck.uniform(*SLOW_FOR_S))
    node.proxy.delay(USUAL_DELAY_S)
