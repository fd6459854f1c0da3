"""The messages of a seat, read from the log of its bot, and the checks of their sequence."""

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
    """Return the messages of a log in order."""
    with log.open(errors="replace") as lines:
        for line in lines:
            found = LINE.match(line.rstrip("\n"))
            if found is None:
                continue
            at = datetime.fromisoformat(found[1]).replace(tzinfo=timezone.utc).timestamp()
            kind = PlayResponse if found[2] == "received" else PlayRequest
            yield Message(at, found[3], kind.FromString(bytes.fromhex(found[4])))


@dataclass
class SeatLog:
    """The messages of a seat on all its streams."""

    log: Path
    problems: list[str] = field(default_factory=list)
    match_id: str = ""
    seed_commitment: str = ""
    messages: dict[int, bytes] = field(default_factory=dict)
    """Each numbered message by its sequence number."""
    received: int = 0
    """Number of received messages."""
    requests: dict[int, DecisionRequest] = field(default_factory=dict)
    answers: dict[int, list[Decision]] = field(default_factory=dict)
    result: MatchResult | None = None
    streams: int = 0
    repeated: int = 0
    """Number of numbered messages that were received more than once."""


def read(log: Path) -> SeatLog:
    """Read a log, and check the sequence of its messages; violations are in `problems`."""
    seat = SeatLog(log)
    checker = SequenceChecker(seat)
    for message in messages_of(log):
        if isinstance(message.what, PlayRequest):
            checker.sent(message.what)
        else:
            seat.received += 1
            checker.received(message.what, message.server)
    return seat


class Expected(Enum):
    """The messages that can come next on a stream."""

    DUE = auto()
    """The next sequence number, and then each following one."""
    START = auto()
    """MatchStarted, since the bot had a stream before but sent no sequence number."""
    OPEN_REQUEST = auto()
    """The open request, or new messages; those in between are skipped."""
    NEW = auto()
    """New messages; seat states after the open request are skipped."""


class SequenceChecker:
    """Checks that sequence numbers have no gaps, and that each belongs to one message only."""

    def __init__(self, seat: SeatLog) -> None:
        """Start before the first stream."""
        self._seat = seat
        self._next, self._due = Expected.DUE, 1
        self._had_stream = self._claimed = False
        self._sequences: dict[int, int] = {}
        """The sequence number of each request."""
        self._acknowledged = 0
        """The last message that an answer acknowledges; servers may drop those before it."""
        self._claims_dropped = False

    def sent(self, request: PlayRequest) -> None:
        """Check a message of the bot."""
        kind = request.WhichOneof("message")
        if kind == "hello":
            hello = request.hello
            self._claimed = hello.HasField("last_sequence")
            is_restart = not self._claimed and self._had_stream
            self._next = Expected.START if is_restart else Expected.DUE
            self._due = hello.last_sequence + 1
            # As of a bot that was killed, and whose next process lost its first stream.
            self._claims_dropped = self._claimed and hello.last_sequence < self._acknowledged
            # The server might have received the Hello, even if its answer was lost.
            self._had_stream = True
        elif kind == "decision":
            decision = request.decision
            self._seat.answers.setdefault(decision.request_id, []).append(decision)
            sequence = self._sequences.get(decision.request_id, 0)
            self._acknowledged = max(self._acknowledged, sequence)

    def received(self, response: PlayResponse, server: str) -> None:
        """Check a message of a server."""
        seat, kind = self._seat, response.WhichOneof("message")
        if kind == "welcome":
            seat.streams += 1
            seat.match_id = seat.match_id or response.welcome.match_id
            if self._claims_dropped and not response.welcome.resumed:
                self._next, self._due = Expected.START, 1
            elif response.welcome.resumed != self._claimed:
                last = max(seat.messages, default=0)
                self._add(f"a bot with message {last} was restarted by {server}")
            return
        if response.sequence == 0:
            return
        self._count(response, server)
        if kind == "decision_request":
            self._sequences[response.decision_request.request_id] = response.sequence
            self._request(response.decision_request)
        elif kind == "decision_rejected":
            self._add(f"a valid answer was rejected: {response.decision_rejected}")
        elif kind == "match_started":
            seat.seed_commitment = response.match_started.seed_commitment
        elif kind == "match_ended":
            seat.result = response.match_ended.result

    def _count(self, response: PlayResponse, server: str) -> None:
        number, seat, kind = response.sequence, self._seat, response.WhichOneof("message")
        if self._next is Expected.DUE and number != self._due:
            self._add(f"{server} sent message {number} instead of {self._due}")
        if self._next is Expected.START and kind != "match_started":
            self._add(f"{server} sent message {number} instead of MatchStarted")
        if number < self._due:
            self._add(f"{server} sent message {number} after {self._due - 1}")
        self._due = number + 1
        self._next = {
            Expected.START: Expected.OPEN_REQUEST,
            Expected.OPEN_REQUEST: Expected.NEW if kind == "decision_request" else Expected.DUE,
        }.get(self._next, Expected.DUE)
        content = content_of(response)
        before = seat.messages.setdefault(number, content)
        if before is not content:
            seat.repeated += 1
            if before != content:
                self._add(f"{server} repeated message {number} with other content: {response}")

    def _request(self, request: DecisionRequest) -> None:
        requests = self._seat.requests
        if request.request_id not in requests and request.request_id != len(requests) + 1:
            self._add(f"request {request.request_id} instead of {len(requests) + 1}")
        requests.setdefault(request.request_id, request)

    def _add(self, problem: str) -> None:
        self._seat.problems.append(f"{self._seat.log.name}: {problem[:600]}")


def content_of(response: PlayResponse) -> bytes:
    """Return the constant part of a message, without its clock and the states of seats."""
    content = PlayResponse()
    content.CopyFrom(response)
    if content.HasField("decision_request"):
        content.decision_request.ClearField("clock")
    if content.HasField("match_started"):
        content.match_started.ClearField("seats")
    return content.SerializeToString(deterministic=True)


def chosen(request: DecisionRequest, answer: Decision) -> GameDecision:
    """Return the complete decision of an answer."""
    if answer.WhichOneof("choice") == "decision":
        return answer.decision
    decision = GameDecision()
    game = request.game.WhichOneof("game") or ""
    legal = getattr(request.game, game).legal_decisions
    getattr(decision, game).CopyFrom(legal[answer.index])
    return decision
