"""The checks of a storm's matches."""

import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from bridgemaster.v1.game_pb2 import GameDecision
from bridgemaster.v1.replay_pb2 import DECIDED_BY_BOT, Replay

from . import audit, seat_log
from .bots import Kind
from .plan import PlannedMatch
from .prober import Claim
from .seat_log import SeatLog


@dataclass(frozen=True)
class Played:
    """A finished match."""

    planned: PlannedMatch
    match_id: str
    logs: list[Path | None]
    """The log of each seat whose bot has one."""
    kills: list[int]
    """The number of kills of each seat's bot."""
    file: bytes
    """The replay file."""

    def replay(self) -> Replay:
        """Decode the replay."""
        return Replay.FromString(self.file)


def check_replay(program: Path, played: Played, folder: Path) -> list[str]:
    """Check that a replay is valid, and that no seat had a fault."""
    file = folder / f"{played.match_id}.replay.binpb"
    file.write_bytes(played.file)
    done = subprocess.run([program, "replay", "verify", file], capture_output=True, text=True)
    wrong = [] if done.returncode == 0 else [f"the replay is not valid: {done.stderr}"]
    for seat in played.replay().result.seats:
        if seat.fault_count or seat.house_decisions:
            wrong.append(f"seat {seat.seat} has a fault: {seat}")
    return wrong


def check_seat(
    seat: SeatLog, number: int, replay: Replay, *, may_change_its_mind: bool = False
) -> list[str]:
    """Check that the replay has each decision of a seat once, as the bot sent it.

    A bot that was killed may answer the same request differently after its restart.
    """
    wrong = list(seat.problems)
    if seat.result != replay.result:
        wrong.append(f"seat {number} received a result that differs from the replay")
    if seat.seed_commitment != replay.seed_commitment:
        wrong.append(f"seat {number} received a seed commitment that differs from the replay")
    answered = next(one for one in replay.result.seats if one.seat == number).clock_use.answered
    if answered != len(seat.requests):
        wrong.append(f"seat {number}: {len(seat.requests)} requests, but {answered} answers")
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
        answers = [seat_log.chosen(request, answer) for answer in seat.answers.get(request_id, [])]
        is_sent = here[0] in answers
        if not is_sent or not (may_change_its_mind or all(one == here[0] for one in answers)):
            wrong.append(f"seat {number} decided {answers}, but the replay has {here[0]}")
    if unrequested := set(accepted) - set(seat.requests):
        wrong.append(f"seat {number} never received the requests {sorted(unrequested)}")
    return wrong


def check_owners(claims: list[Claim], owners: dict[str, audit.Owners]) -> list[str]:
    """Check that only the owner of a match answered calls about it itself."""
    wrong = []
    for claim in claims:
        owner = owners[claim.match_id]
        if not owner.was_owner(claim.node, claim.requested, claim.answered):
            wrong.append(
                f"{claim.node} claimed {claim.match_id}, requested at {claim.requested:.3f} and "
                f"answered at {claim.answered:.3f}: {owner}"
            )
    return wrong


def difference(one: Played, other: Played, kinds: dict[str, Kind]) -> str | None:
    """Compare two replays of a match; None if a bot can decide differently in the two."""
    seats = zip((kinds[player] for player in one.planned.players), one.kills, strict=True)
    if not all(kind.is_deterministic and not (kills and kind.remembers) for kind, kills in seats):
        return None
    ours, theirs = outcome(one.replay()), outcome(other.replay())
    return (
        ""
        if ours == theirs
        else f"the replay differs from the run without failures: {first_of(ours, theirs)}"
    )


def first_of(ours: dict[str, object], theirs: dict[str, object]) -> str:
    """Describe the first difference."""
    for what in ours | theirs:
        if ours.get(what) != theirs.get(what):
            return f"{what}: {theirs.get(what)} instead of {ours.get(what)}"[:600]
    return "nothing"


def outcome(replay: Replay) -> dict[str, object]:
    """Return the parts of a replay that must not depend on disruptions."""
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
