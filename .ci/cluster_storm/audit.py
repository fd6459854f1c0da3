"""What the database saw of the servers, and what must be true of it."""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from language_tests.database import Postgres

LEASE_S = 8.0
"""The term of a lease."""
LEAST_LEASE_S = 4.0
"""What is left of a lease at least in the transaction that gives it, on however busy a machine."""
NODE, COMMIT, MATCH, OVER = "node", "commit", "match", "match over"


@dataclass(frozen=True)
class Event:
    """Something that a server did in the database."""

    at: float
    begun: float
    process: str
    what: str
    node: str
    epoch_before: int | None
    epoch: int
    lease_before: float
    lease_until: float
    match_id: str

    @property
    def doer(self) -> str:
        """The node that did it."""
        return self.process.rpartition("-")[0]


@dataclass(frozen=True)
class Hold:
    """A time for which the row of a node was locked, by the clock of the database."""

    node: str
    begun: float
    ended: float


def install(postgres: Postgres) -> None:
    """Have the database write down what servers do from now on."""
    postgres.ask(Path(__file__).with_name("audit.sql").read_text())


def read(postgres: Postgres) -> list[Event]:
    """Return all that was written down."""
    rows = postgres.ask("SELECT * FROM storm.event ORDER BY id")
    return [
        Event(
            at=float(row["at"]),
            begun=float(row["begun"]),
            process=row["process"],
            what=row["what"],
            node=row["node"],
            epoch_before=int(row["epoch_before"]) if row["epoch_before"] else None,
            epoch=int(row["epoch"]),
            lease_before=float(row["lease_before"] or 0),
            lease_until=float(row["lease_until"] or 0),
            match_id=row["match_id"],
        )
        for row in rows
    ]


@dataclass
class Owners:
    """Which node has a match, from when on; and when it was over."""

    since: list[float] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    over: float = float("inf")

    def had_it(self, node: str, begin: float, end: float) -> bool:
        """Tell whether a node had the match at some moment of a time."""
        first = max(0, bisect_right(self.since, begin) - 1)
        last = max(first, bisect_right(self.since, end) - 1)
        return node in self.nodes[first : last + 1]


def owners(events: list[Event]) -> dict[str, Owners]:
    """Return who had each match."""
    found: dict[str, Owners] = defaultdict(Owners)
    for event in events:
        if event.what == MATCH:
            found[event.match_id].since.append(event.at)
            found[event.match_id].nodes.append(event.node)
        elif event.what == OVER:
            found[event.match_id].over = event.at
    return found


def check(events: list[Event], holds: list[Hold]) -> list[str]:
    """Return all that is wrong."""
    epochs = epochs_of(events)
    wrong: list[str] = []
    newest: dict[str, int] = {}
    for event in events:
        own = epochs.get(event.process)
        words = {
            NODE: lambda event=event, own=own: of_node(event, own, newest),
            COMMIT: lambda event=event, own=own: of_commit(event, own, holds),
            MATCH: lambda event=event, own=own: of_match(event, own),
            OVER: lambda event=event, own=own: of_match(event, own),
        }[event.what]()
        wrong += [f"{event.process} at {event.at:.3f}: {word}" for word in words]
    return wrong


def epochs_of(events: list[Event]) -> dict[str, int]:
    """Return the epoch that each server has taken with its node."""
    taken: dict[str, int] = {}
    for event in events:
        begins = event.what == NODE and event.epoch != (event.epoch_before or 0)
        if begins and event.doer == event.node:
            taken.setdefault(event.process, event.epoch)
    return taken


def of_node(event: Event, own: int | None, newest: dict[str, int]) -> list[str]:
    """Check a change of a node: epochs, who raises them, and leases."""
    wrong = []
    before = event.epoch_before if event.epoch_before is not None else event.epoch
    if event.epoch < before or before < newest.get(event.node, before):
        wrong.append(f"the epoch of {event.node} went down, from {before} to {event.epoch}")
    newest[event.node] = event.epoch
    if event.doer != event.node and event.lease_before > event.at:
        left_s = event.lease_before - event.at
        wrong.append(f"{event.node} was taken over with {left_s:.1f} s of its lease left")
    is_given = event.lease_until not in (event.lease_before, 0.0)
    if not is_given:
        return wrong
    if event.doer == event.node and event.epoch != own:
        wrong.append(f"a server of epoch {own} renewed the lease of epoch {event.epoch}")
    if not LEAST_LEASE_S <= event.lease_until - event.at <= LEASE_S:
        wrong.append(f"a lease of {event.lease_until - event.at:.1f} s was given")
    return wrong


def of_commit(event: Event, own: int | None, holds: list[Hold]) -> list[str]:
    """Check a commit: by who has the node, in its epoch, behind a fence that looks at the lease."""
    wrong = []
    if event.doer != event.node:
        wrong.append(f"a commit for {event.node}")
    if event.epoch != own:
        wrong.append(f"a commit of epoch {own} in epoch {event.epoch}")
    # The fence stands behind the beginning.
    if event.lease_until < event.begun:
        late_s = event.begun - event.lease_until
        wrong.append(f"a commit that began {late_s:.1f} s after the end of its lease")
    for hold in holds:
        # The fence locks the row too, so it cannot have been passed before the other let it go.
        waited = hold.node == event.node and hold.begun < event.begun < hold.ended < event.at
        if waited and event.lease_until < hold.ended:
            late_s = hold.ended - event.lease_until
            wrong.append(f"a fence was passed {late_s:.1f} s after the end of the lease")
    return wrong


def of_match(event: Event, own: int | None) -> list[str]:
    """Check that a match is made, taken and ended by the node that has it then, in its epoch."""
    if event.doer == event.node and event.epoch == own:
        return []
    return [f"the match {event.match_id} of {event.node} in epoch {event.epoch}, own {own}"]
