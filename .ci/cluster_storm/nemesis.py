"""Does what goes wrong, as the plan has it."""

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable

from language_tests.database import Postgres
from language_tests.processes import FailedError, until

from .audit import LEASE_S, Hold
from .nodes import USUAL_DELAY_S, Node, Nodes
from .plan import Event, Trouble

TAKEN_S = (10.5, 13.0)
"""How long a node is away for others to take its matches: a lease, what they need to look, and the
time after which PostgreSQL breaks off a transaction that stands still."""
SLOW_S = (1.2, 2.2)
"""One way between node and database, when it is slow: no renewal is answered in time, and a commit
takes longer than what is left of a lease."""
SLOW_FOR_S = (12.0, 16.0)
JUMP_S = 200_000
"""The farthest jump of a clock."""
LIKELY_ANYWAY = 0.2
"""How likely a node without a match is hit, against one with one match."""
AT_ONCE = 2
"""Troubles at once: one of three nodes is well."""


class Nemesis:
    """Lets things go wrong, each on a thread of its own."""

    def __init__(self, nodes: Nodes, postgres: Postgres) -> None:
        """Do nothing yet."""
        self._nodes, self._postgres = nodes, postgres
        self._places = threading.Semaphore(AT_ONCE)
        self._database = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._failure: Exception | None = None
        self.done: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.holds: list[Hold] = []
        self.says: list[str] = []
        self.begun_s = time.time()

    def begin(self, event: Event) -> None:
        """Let something go wrong, once there is room for it."""
        if self._failure is not None:
            raise FailedError(f"what was to go wrong went wrong: {self._failure!r}")
        self._places.acquire()
        thread = threading.Thread(target=self._run, args=(event,), daemon=True)
        thread.start()
        self._threads.append(thread)
        if not event.overlaps:
            thread.join()

    def leave_out(self, events: list[Event]) -> None:
        """Count what does not go wrong, because no match is left for it."""
        self.left_out.update(event.what.value for event in events)

    def wait(self) -> None:
        """Wait until all of it is over."""
        for thread in self._threads:
            thread.join()
        if self._failure is not None:
            raise FailedError(f"what was to go wrong went wrong: {self._failure!r}")

    def _run(self, event: Event) -> None:
        try:
            self._do(event)
        except Exception as failure:
            self._failure = failure
        finally:
            self._places.release()

    def _do(self, event: Event) -> None:
        luck = random.Random(event.seed)
        if event.what is Trouble.DATABASE:
            with self._database:
                self._tell(event, "the database")
                self._restart_database(luck)
        elif event.what is Trouble.CLOCK:
            node = self._nodes.all[-1]
            if node.clock is None:
                self.left_out[event.what.value] += 1
                return
            self._tell(event, node.name)
            node.jump(luck.randint(-JUMP_S, JUMP_S))
        else:
            doing: dict[Trouble, Callable[[Node, random.Random], None]] = {
                Trouble.KILL: kill,
                Trouble.ZOMBIE: stand_still,
                Trouble.CUT: cut,
                Trouble.SLOW: slow,
                Trouble.HOLD: self._hold,
            }
            node = self._victim(luck)
            try:
                self._tell(event, node.name)
                doing[event.what](node, luck)
            finally:
                node.busy.release()
        self.done[event.what.value] += 1

    def _tell(self, event: Event, whom: str) -> None:
        self.says.append(f"{time.time() - self.begun_s:7.1f} s {event.what.value}: {whom}")

    def _victim(self, luck: random.Random) -> Node:
        """Return a node that has nothing else, rather one with matches; it is to be released."""
        matches = self._matches()
        weights = [LIKELY_ANYWAY + matches.get(node.name, 0) for node in self._nodes.all]
        drawn = luck.choices(self._nodes.all, weights)
        for node in drawn + luck.sample(self._nodes.all, len(self._nodes.all)):
            if node.busy.acquire(blocking=False):
                return node
        raise FailedError("every node has a trouble")

    def _matches(self) -> dict[str, int]:
        try:
            rows = self._postgres.ask(
                "SELECT node_id, count(match_key) AS matches FROM node "
                "LEFT JOIN open_match ON match_key >> 40 = number GROUP BY node_id"
            )
        except FailedError:
            # It is away right now.
            return {}
        return {row["node_id"]: int(row["matches"]) for row in rows}

    def _restart_database(self, luck: random.Random) -> None:
        self._postgres.stop(luck.choice([signal.SIGQUIT, signal.SIGKILL]))
        time.sleep(luck.uniform(0.0, 3.0))
        self._postgres.start()

    def _hold(self, node: Node, _: random.Random) -> None:
        with self._database:
            rows = self._postgres.ask(HOLD.format(node=node.name))
        self.holds.append(Hold(node.name, float(rows[0]["begun"]), float(rows[0]["ended"])))


HOLD = f"""
DO $$
DECLARE
    begun DOUBLE PRECISION;
BEGIN
    PERFORM 1 FROM node WHERE node_id = '{{node}}' FOR UPDATE;
    begun := extract(epoch FROM clock_timestamp());
    -- Until its lease is over: nothing renews it meanwhile.
    PERFORM pg_sleep({LEASE_S + 0.5});
    -- Renewals that wait would come before the node has heard that it has the lock.
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE node SET draining%';
    PERFORM set_config('storm.begun', begun::text, false);
    PERFORM set_config('storm.ended', extract(epoch FROM clock_timestamp())::text, false);
END $$;
SELECT current_setting('storm.begun') AS begun, current_setting('storm.ended') AS ended
"""
"""Locks the row of a node; psql runs each statement in a transaction of its own."""


def kill(node: Node, luck: random.Random) -> None:
    """Kill a node; it comes back at once, or when others have its matches."""
    node.kill()
    if luck.random() < 0.5:
        time.sleep(luck.uniform(*TAKEN_S))
    node.start_again()
    until(node.is_listening)


def stand_still(node: Node, luck: random.Random) -> None:
    """Stop a node, and let it wake when others have its matches."""
    node.stand_still()
    time.sleep(luck.uniform(*TAKEN_S))
    node.go_on()


def cut(node: Node, luck: random.Random) -> None:
    """Cut a node off from the database, for a moment or until others have its matches."""
    away_s = luck.choice([luck.uniform(0.0, 4.0), luck.uniform(*TAKEN_S)])
    if luck.random() < 0.5:
        node.link.lead_to(None)
        node.link.cut_all()
        time.sleep(away_s)
        node.link.lead_to(node.database)
    else:
        node.link.hold()
        time.sleep(away_s)
        node.link.let_go()


def slow(node: Node, luck: random.Random) -> None:
    """Let every message between a node and the database take seconds."""
    node.link.delay(luck.uniform(*SLOW_S))
    time.sleep(luck.uniform(*SLOW_FOR_S))
    node.link.delay(USUAL_DELAY_S)
