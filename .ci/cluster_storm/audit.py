"""The audit: records the changes that servers make in the database, and checks them."""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from language_tests.database import Postgres

LEASE_S = 8.0
"""The term of a lease."""
MIN_LEASE_S = 4.0
"""Minimum remaining time of a lease in the transaction that renews it, on a busy machine."""
NODE, COMMIT, MATCH, OVER = "node", "commit", "match", "match over"


@dataclass(frozen=True)
class Event:
    """A change that a server made in the database."""

    at: float
    started: float
    process: str
    what: str
    node: str
    epoch_before: int | None
    epoch: int
    lease_before: float
    lease_until: float
    match_id: str

    @property
    def actor(self) -> str:
        """Return the node of the server that made the change."""
        return self.process.rpartition("-")[0]


@dataclass(frozen=True)
class Hold:
    """A period in which the row of a node was locked, by the clock of the database."""

    node: str
    started: float
    ended: float


def install(postgres: Postgres) -> None:
    """Install the triggers of the audit."""
    postgres.query(Path(__file__).with_name("audit.sql").read_text())


def read(postgres: Postgres) -> list[Event]:
    """Return all recorded changes."""
    rows = postgres.query("SELECT * FROM storm.event ORDER BY id")
    return [
        Event(
            at=float(row["at"]),
            started=float(row["started"]),
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
    """The node that owns a match, over time, and the time at which the match ended."""

    since: list[float] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    over: float = float("inf")

    def was_owner(self, node: str, begin: float, end: float) -> bool:
        """Return whether a node owned the match at some time of a period."""
        first = max(0, bisect_right(self.since, begin) - 1)
        last = max(first, bisect_right(self.since, end) - 1)
        return node in self.nodes[first : last + 1]


def owners(events: list[Event]) -> dict[str, Owners]:
    """Return the owners of each match."""
    found: dict[str, Owners] = defaultdict(Owners)
    for event in events:
        if event.what == MATCH:
            found[event.match_id].since.append(event.at)
            found[event.match_id].nodes.append(event.node)
        elif event.what == OVER:
            found[event.match_id].over = event.at
    return found


def check(events: list[Event], holds: list[Hold], ends: dict[str, float]) -> list[str]:
    """Return all violations; `ends` has the time at which each server process ended."""
    epochs = epochs_of(events)
    ended = {
        (process.rpartition("-")[0], epoch): ends[process]
        for process, epoch in epochs.items()
        if process in ends
    }
    wrong: list[str] = []
    newest: dict[str, int] = {}
    for event in events:
        own = epochs.get(event.process)
        problems = {
            NODE: lambda event=event, own=own: check_node(event, own, newest, ended),
            COMMIT: lambda event=event, own=own: check_commit(event, own, holds),
            MATCH: lambda event=event, own=own: check_match(event, own),
            OVER: lambda event=event, own=own: check_match(event, own),
        }[event.what]()
        wrong += [f"{event.process} at {event.at:.3f}: {problem}" for problem in problems]
    return wrong


def epochs_of(events: list[Event]) -> dict[str, int]:
    """Return the epoch of each server."""
    taken: dict[str, int] = {}
    for event in events:
        begins = event.what == NODE and event.epoch != (event.epoch_before or 0)
        if begins and event.actor == event.node:
            taken.setdefault(event.process, event.epoch)
    return taken


def takeover_times(events: list[Event], node: str, killed: list[float]) -> list[float]:
    """Return the seconds from each kill of a node to its takeover, if there was one."""
    times = []
    for at, following in zip(killed, [*killed, float("inf")][1:], strict=True):
        begun = (event for event in events if event.what == NODE and event.node == node)
        begun = (event for event in begun if event.epoch > (event.epoch_before or 0))
        next_one = next((event for event in begun if at < event.at < following), None)
        if next_one is not None and next_one.actor != node:
            times.append(next_one.at - at)
    return times


def check_node(
    event: Event, own: int | None, newest: dict[str, int], ended: dict[tuple[str, int], float]
) -> list[str]:
    """Check a change of a node: epoch, takeover, and lease."""
    wrong = []
    before = event.epoch_before if event.epoch_before is not None else event.epoch
    if event.epoch < before or before < newest.get(event.node, before):
        wrong.append(f"the epoch of {event.node} decreased from {before} to {event.epoch}")
    newest[event.node] = event.epoch
    if event.epoch == before and 0 < event.lease_until < event.lease_before:
        if ended.get((event.node, event.epoch), float("inf")) > event.at:
            wrong.append(f"the lease of {event.node} was ended although its server was running")
        return wrong
    if event.actor != event.node and event.lease_before > event.at:
        left_s = event.lease_before - event.at
        wrong.append(f"{event.node} was taken over {left_s:.1f} s before the end of its lease")
    is_renewal = event.lease_until not in (event.lease_before, 0.0)
    if not is_renewal:
        return wrong
    if event.actor == event.node and event.epoch != own:
        wrong.append(f"a server of epoch {own} renewed the lease of epoch {event.epoch}")
    if not MIN_LEASE_S <= event.lease_until - event.at <= LEASE_S:
        wrong.append(f"the lease was set to {event.lease_until - event.at:.1f} s")
    return wrong


def check_commit(event: Event, own: int | None, holds: list[Hold]) -> list[str]:
    """Check a commit: owner, epoch, and that the fence checked the lease."""
    wrong = []
    if event.actor != event.node:
        wrong.append(f"a commit for another node, {event.node}")
    if event.epoch != own:
        wrong.append(f"a commit of epoch {own} in epoch {event.epoch}")
    # The fence comes after the start of the transaction.
    if event.lease_until < event.started:
        late_s = event.started - event.lease_until
        wrong.append(f"a commit that started {late_s:.1f} s after the end of its lease")
    for hold in holds:
        # The fence locks the row too, so it waited until this lock was released.
        waited = hold.node == event.node and hold.started < event.started < hold.ended < event.at
        if waited and event.lease_until < hold.ended:
            late_s = hold.ended - event.lease_until
            wrong.append(f"a fence was passed {late_s:.1f} s after the end of the lease")
    return wrong


def check_match(event: Event, own: int | None) -> list[str]:
    """Check that a match is created, moved and deleted by its owner, in the owner's epoch."""
    if event.actor == event.node and event.epoch == own:
        return []
    return [
        f"match {event.match_id} of {event.node} changed in epoch {event.epoch} instead of {own}"
    ]
