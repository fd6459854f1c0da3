"""What a seat was told and what it answered, by the log of its bot."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum, auto
from pathlib import Path

from bridgemaster.v1.game_pb2 import GameDecision
from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import Decision, DecisionRequest, PlayRequest, PlayResponse

LINE = re.compile(
    r"^(\S+)Z +TRACE \S+ (received|sent) server_url=\"http://([^\"]*)\" bytes=([0-9a-f]*)$"
)


@dataclass(frozen=True)
class Message:
    """A message of a stream."""

    at: float
    """Seconds since 1970, by the clock of the machine."""
    server: str
    what: PlayRequest | PlayResponse


def messages_of(log: Path) -> Iterator[Message]:
    """Return the messages of a log, in their order."""
    with log.open(errors="replace") as lines:
        for line in lines:
            found = LINE.match(line.rstrip("\n"))
            if found is None:
                continue
            at = datetime.fromisoformat(found[1]).replace(tzinfo=timezone.utc).timestamp()
            kind = PlayResponse if found[2] == "received" else PlayRequest
            yield Message(at, found[3], kind.FromString(bytes.fromhex(found[4])))


@dataclass
class Seat:
    """A seat over all its streams."""

    log: Path
    problems: list[str] = field(default_factory=list)
    match_id: str = ""
    told: dict[int, bytes] = field(default_factory=dict)
    """Each counted message by its number."""
    told_at: list[tuple[float, str]] = field(default_factory=list)
    """When which server said something."""
    requests: dict[int, DecisionRequest] = field(default_factory=dict)
    answers: dict[int, list[Decision]] = field(default_factory=dict)
    result: MatchResult | None = None
    streams: int = 0
    again: int = 0
    """Counted messages that came more than once."""


def read(log: Path) -> Seat:
    """Read what a seat was told; what is wrong with it is in its problems."""
    seat = Seat(log)
    watch = Watch(seat)
    for message in messages_of(log):
        if isinstance(message.what, PlayRequest):
            watch.sent(message.what)
        else:
            seat.told_at.append((message.at, message.server))
            watch.received(message.what, message.server)
    return seat


class Next(Enum):
    """What may come next on a stream."""

    DUE = auto()
    """The number that is due, and then each next one."""
    START = auto()
    """The bot knows nothing though it had a stream before: MatchStarted."""
    OPEN_REQUEST = auto()
    """The open request, or what is new; what came between is left out."""
    NEW = auto()
    """What is new; the states of seats that followed the open request are left out."""


class Watch:
    """What may come next on the streams of a seat: numbers have no gap, and one message each."""

    def __init__(self, seat: Seat) -> None:
        """Begin before the first stream."""
        self._seat = seat
        self._next, self._due = Next.DUE, 1
        self._had_stream = self._claimed = False

    def sent(self, request: PlayRequest) -> None:
        """Take what the bot said."""
        kind = request.WhichOneof("message")
        if kind == "hello":
            hello = request.hello
            self._claimed = hello.HasField("last_sequence")
            knows_nothing = not self._claimed and self._had_stream
            self._next = Next.START if knows_nothing else Next.DUE
            self._due = hello.last_sequence + 1
            # The server may have heard of it, though the bot never heard of the server.
            self._had_stream = True
        elif kind == "decision":
            decision = request.decision
            self._seat.answers.setdefault(decision.request_id, []).append(decision)

    def received(self, response: PlayResponse, server: str) -> None:
        """Take what a server said."""
        seat, kind = self._seat, response.WhichOneof("message")
        if kind == "welcome":
            seat.streams += 1
            seat.match_id = seat.match_id or response.welcome.match_id
            if response.welcome.resumed != self._claimed:
                self._wrong(f"a bot that knew {max(seat.told, default=0)} begins anew at {server}")
            return
        if response.sequence == 0:
            return
        self._count(response, server)
        if kind == "decision_request":
            self._asked(response.decision_request)
        elif kind == "decision_rejected":
            self._wrong(f"a good answer is refused: {response.decision_rejected}")
        elif kind == "match_ended":
            seat.result = response.match_ended.result

    def _count(self, response: PlayResponse, server: str) -> None:
        number, seat, kind = response.sequence, self._seat, response.WhichOneof("message")
        if self._next is Next.DUE and number != self._due:
            self._wrong(f"message {number} of {server} came where {self._due} was due")
        if self._next is Next.START and kind != "match_started":
            self._wrong(f"a bot that knows nothing is first sent message {number} by {server}")
        if number < self._due:
            self._wrong(f"message {number} of {server} came after {self._due - 1}")
        self._due = number + 1
        self._next = {
            Next.START: Next.OPEN_REQUEST,
            Next.OPEN_REQUEST: Next.NEW if kind == "decision_request" else Next.DUE,
        }.get(self._next, Next.DUE)
        content = content_of(response)
        before = seat.told.setdefault(number, content)
        if before is not content:
            seat.again += 1
            if before != content:
                self._wrong(f"message {number} of {server} is not what it was: {response}")

    def _asked(self, request: DecisionRequest) -> None:
        known = self._seat.requests
        if request.request_id not in known and request.request_id != len(known) + 1:
            self._wrong(f"request {request.request_id} came where {len(known) + 1} was due")
        known.setdefault(request.request_id, request)

    def _wrong(self, problem: str) -> None:
        self._seat.problems.append(f"{self._seat.log.name}: {problem[:600]}")


def content_of(response: PlayResponse) -> bytes:
    """Return what a message says for ever: not its clock, and not seats as they are now."""
    content = PlayResponse()
    content.CopyFrom(response)
    if content.HasField("decision_request"):
        content.decision_request.ClearField("clock")
    if content.HasField("match_started"):
        content.match_started.ClearField("seats")
    return content.SerializeToString(deterministic=True)


def chosen(request: DecisionRequest, answer: Decision) -> GameDecision:
    """Return the decision that an answer names, in full."""
    if answer.WhichOneof("choice") == "decision":
        return answer.decision
    full = GameDecision()
    game = request.game.WhichOneof("game") or ""
    legal = getattr(request.game, game).legal_decisions
    getattr(full, game).CopyFrom(legal[answer.index])
    return full
