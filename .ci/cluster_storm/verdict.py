"""What must be true of matches in the end."""

import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from bridgemaster.v1.game_pb2 import GameDecision
from bridgemaster.v1.replay_pb2 import DECIDED_BY_BOT, Replay

from . import audit, told
from .field import Kind
from .nodes import Node
from .plan import PlannedMatch
from .prober import Claim
from .told import Seat

UNDER_WAY_S = 2.0
"""How long what a server said may be under way to its bot on a busy machine."""
WOKEN_S = 5.0
"""How long a server that stood still may need to see so: what it had stored before, and handed to
its connections, goes out meanwhile."""


@dataclass(frozen=True)
class Played:
    """A match that is over."""

    planned: PlannedMatch
    match_id: str
    logs: list[Path | None]
    """Of each seat whose bot writes down what it is told."""
    file: bytes
    """The replay."""

    def replay(self) -> Replay:
        """Return the replay."""
        return Replay.FromString(self.file)


def of_replay(program: Path, played: Played, folder: Path) -> list[str]:
    """Check that a replay holds, and that no seat had a fault."""
    file = folder / f"{played.match_id}.replay.binpb"
    file.write_bytes(played.file)
    done = subprocess.run([program, "replay", "verify", file], capture_output=True, text=True)
    wrong = [] if done.returncode == 0 else [f"its replay does not hold: {done.stderr}"]
    for seat in played.replay().result.seats:
        if seat.fault_count or seat.house_decisions:
            wrong.append(f"seat {seat.seat} has a fault: {seat}")
    return wrong


def of_seat(seat: Seat, number: int, replay: Replay) -> list[str]:
    """Check that the replay has what a seat decided, each once and as it did."""
    wrong = list(seat.problems)
    if seat.result != replay.result:
        wrong.append(f"seat {number} was told another result than that of the replay")
    accepted: dict[int, list[GameDecision]] = defaultdict(list)
    for record in replay.records:
        decision = record.decision
        is_own = record.HasField("decision") and decision.seat == number
        if is_own and decision.decided_by == DECIDED_BY_BOT:
            accepted[decision.request_id].append(decision.decision)
    for request_id, request in seat.requests.items():
        here = accepted.get(request_id, [])
        if len(here) != 1:
            wrong.append(f"seat {number}: {len(here)} decisions of request {request_id}")
            continue
        answers = [told.chosen(request, answer) for answer in seat.answers.get(request_id, [])]
        if not answers or any(answer != here[0] for answer in answers):
            wrong.append(f"seat {number} decided {answers} where the replay has {here[0]}")
    if unasked := set(accepted) - set(seat.requests):
        wrong.append(f"seat {number} was never asked for {sorted(unasked)}")
    return wrong


def of_owners(
    seats: dict[str, list[Seat]],
    claims: list[Claim],
    owners: dict[str, audit.Owners],
    nodes: list[Node],
) -> tuple[list[str], int]:
    """Check that at most one node answered for a match at a time; return too what came late."""
    wrong, late = [], 0
    names = {node.address: node for node in nodes}
    for match_id, of_match in seats.items():
        owner = owners[match_id]
        for seat in of_match:
            for at, address in seat.told_at:
                node = names[address]
                if at > owner.over or owner.had_it(node.name, at - UNDER_WAY_S, at):
                    continue
                if any(one.begun < at < one.ended + WOKEN_S for one in node.standstills):
                    late += 1
                    continue
                wrong.append(
                    f"{seat.log.name}: {node.name} spoke for {match_id} at {at:.3f}, of "
                    f"{list(zip(owner.since, owner.nodes, strict=True))}"
                )
    for claim in claims:
        owner = owners[claim.match_id]
        if not owner.had_it(claim.node, claim.asked, claim.answered):
            wrong.append(
                f"{claim.node} said that it has {claim.match_id}, asked at {claim.asked:.3f} and "
                f"answering at {claim.answered:.3f}: {owner}"
            )
    return wrong, late


def difference(one: Played, other: Played, kinds: dict[str, Kind]) -> str | None:
    """Return how two courses of a match differ; None where its bots need not repeat themselves."""
    if not all(kinds[player].repeats for player in one.planned.players):
        return None
    ours, theirs = outcome(one.replay()), outcome(other.replay())
    return "" if ours == theirs else f"it went another way: {first_of(ours, theirs)}"


def first_of(ours: dict[str, object], theirs: dict[str, object]) -> str:
    """Return the first thing that differs."""
    for what in ours | theirs:
        if ours.get(what) != theirs.get(what):
            return f"{what}: {theirs.get(what)} instead of {ours.get(what)}"[:600]
    return "nothing"


def outcome(replay: Replay) -> dict[str, object]:
    """Return what must not depend on what goes wrong."""
    found: dict[str, object] = {}
    digest = 0
    for record in replay.records:
        if record.HasField("decision"):
            decision = record.decision
            digest = decision.digest
            content = decision.decision.SerializeToString(deterministic=True)
            found[f"decision {decision.request_id} of seat {decision.seat}"] = content
        elif record.HasField("chance"):
            digest = record.chance.digest
    for seat in replay.result.seats:
        lines = [line.SerializeToString(deterministic=True) for line in seat.breakdown]
        found[f"place of seat {seat.seat}"] = (seat.place, seat.score, lines)
    found["last state"] = digest
    return found
