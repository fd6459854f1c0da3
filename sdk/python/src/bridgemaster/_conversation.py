"""The state of a seat's conversation with the server, across all of its streams.

It decides how to react to a received message and does no I/O.
"""

import logging
import operator
import secrets
import time
from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf.message import Message

from bridgemaster.v1.game_pb2 import GameDecision
from bridgemaster.v1.match_pb2 import SEED_REVEAL_WITH_GROUP, MatchResult
from bridgemaster.v1.play_pb2 import (
    Decision,
    DecisionRejected,
    DecisionRequest,
    Hello,
    MatchEnded,
    MatchStarted,
    PlayRequest,
    PlayResponse,
    Pong,
    SeatStatus,
    Welcome,
)
from bridgemaster.v1.play_pb2 import Resign as ResignMessage

from ._bot import Answer, Choice, Resign
from ._errors import (
    BrokenSeedCommitmentError,
    NoLegalDecisionError,
    ProtocolError,
    rejection_text,
)
from ._options import ResolvedOptions
from ._request import Request
from ._seed_commitment import seed_commitment

PROTOCOL_REVISION = 1
"""The protocol revision that this package implements."""
MAX_REFUSED_ANSWERS = 3
"""The number of refused answers to one request after which the match is abandoned: the bot does not
find a legal decision, and further attempts would only flood the server."""
MAX_INDEX = 2**32 - 1
"""The largest index that fits into a message."""

_GAME_OF_DECISION = {
    field.message_type.full_name: field.name
    for field in GameDecision.DESCRIPTOR.fields
    if field.message_type is not None
}

log = logging.getLogger("bridgemaster")


@dataclass(frozen=True)
class Send:
    """Send a message."""

    message: PlayRequest


@dataclass(frozen=True)
class Decide:
    """Call `decide` of the bot."""

    request: Request


@dataclass(frozen=True)
class Notify:
    """Call the method of the bot that handles this message."""

    message: MatchStarted | DecisionRejected | SeatStatus


@dataclass(frozen=True)
class End:
    """The match has ended."""

    result: MatchResult


Reaction: TypeAlias = Send | Decide | Notify | End


@dataclass
class _OpenRequest:
    """The newest request, until the next one replaces it."""

    request: Request
    answer: PlayRequest | None = None
    sent_on_current_stream: bool = False
    """An answer sent on a lost stream might not have arrived."""
    refused_answers: int = 0

    def unsent_answer(self) -> list[Reaction]:
        """Return the answer to send, unless there is none or the current stream has sent it."""
        if self.answer is None or self.sent_on_current_stream:
            return []
        self.sent_on_current_stream = True
        return [Send(self.answer)]


class Conversation:
    """The conversation of one seat, across all of its streams."""

    def __init__(self, options: ResolvedOptions) -> None:
        """Start before the first stream."""
        self._options = options
        self._client_instance_id = secrets.token_hex(16)
        """With the number of a stream, lets the server ignore a Hello that arrives late."""
        self._stream_number = 0
        self._last_sequence = 0
        self._seat: tuple[str, int] | None = None
        """Match id and seat number, from the first Welcome."""
        self._history_id = ""
        self._seed_commitment = ""
        """The commitment to the seed; empty before MatchStarted, or if the server makes none."""
        self._seed_revealed_with_group = False
        """The match group can end later than the match."""
        self._open: _OpenRequest | None = None
        self.progressed = False
        """True if the current stream has received a numbered message."""

    @property
    def was_welcomed(self) -> bool:
        """True if any stream has received a Welcome."""
        return self._seat is not None

    def hello(self) -> PlayRequest:
        """Start a new stream and return its Hello."""
        self.progressed = False
        self._stream_number += 1
        if self._open is not None:
            self._open.sent_on_current_stream = False
        hello = Hello(
            protocol_revision=PROTOCOL_REVISION,
            bot_name=self._options.name,
            bot_version=self._options.version,
            games=self._options.games,
            client_instance_id=self._client_instance_id,
            stream_number=self._stream_number,
        )
        if self._last_sequence > 0:
            hello.last_sequence = self._last_sequence
            hello.history_id = self._history_id
        return PlayRequest(hello=hello)

    def welcome(self, welcome: Welcome) -> list[Reaction]:
        """Process the Welcome of a stream.

        Sends again the answer that the previous stream might have lost; the server ignores a
        duplicate. If the server does not resume, it has lost the last part of the match, and the
        state of the match is reset.
        """
        seat = (welcome.match_id, welcome.seat)
        if self._seat not in (None, seat):
            raise ProtocolError("the ticket now belongs to a different seat")
        self._seat = seat
        self._history_id = welcome.history_id
        if not welcome.resumed:
            if self._last_sequence > 0:
                log.warning("the server lost the last part of the match; starting over")
            self._last_sequence = 0
            self.close()
        return self._open.unsent_answer() if self._open is not None else []

    def close(self) -> None:
        """Cancel the open request, if any: its answer is no longer needed."""
        if self._open is not None:
            self._open.request.cancel()
            self._open = None

    def receive(self, response: PlayResponse) -> list[Reaction]:
        """Process a message after the Welcome."""
        kind = response.WhichOneof("message")
        if kind == "ping":
            return [Send(PlayRequest(pong=Pong(nonce=response.ping.nonce)))]
        if kind == "draining":
            log.info("the server is shutting down in %d ms", response.draining.time_left_ms)
            return []
        if kind == "welcome":
            raise ProtocolError("the server broke the protocol: a second Welcome on one stream")
        if response.sequence <= self._last_sequence:
            # The message is repeated after a lost stream, or not numbered. Only an open request is
            # handled again.
            repeated = kind == "decision_request"
            return self._request_repeated(response.decision_request) if repeated else []
        self._last_sequence = response.sequence
        self.progressed = True
        if kind == "match_started":
            return self._started(response.match_started)
        if kind == "decision_request":
            return self._requested(response.decision_request)
        if kind == "decision_rejected":
            return self._rejected(response.decision_rejected)
        if kind == "seat_status":
            return [Notify(response.seat_status)]
        if kind == "match_ended":
            self.close()
            self._check_seed(response.match_ended)
            return [End(response.match_ended.result)]
        # None stands for a message kind that only newer servers send.
        return []

    def answer(self, request: Request, choice: Choice) -> list[Reaction]:
        """Record an answer of the bot; send it if its request is still open."""
        open_request = self._open
        if open_request is None or open_request.request is not request:
            log.warning("request %d: answer ignored: the request is not open", request.request_id)
            return []
        open_request.answer = _message(request, choice)
        return open_request.unsent_answer()

    def _started(self, started: MatchStarted) -> list[Reaction]:
        if self._seed_commitment not in ("", started.seed_commitment):
            raise ProtocolError("the server broke the protocol: the seed commitment changed")
        self._seed_commitment = started.seed_commitment
        reveal = started.config.group.seed_reveal
        self._seed_revealed_with_group = reveal == SEED_REVEAL_WITH_GROUP
        return [Notify(started)]

    def _check_seed(self, ended: MatchEnded) -> None:
        commitment = self._seed_commitment
        withheld = self._seed_revealed_with_group and not ended.seed and not ended.seed_salt
        if not commitment or withheld:
            return
        if commitment != seed_commitment(ended.seed, ended.seed_salt):
            raise BrokenSeedCommitmentError(commitment, ended)

    def _requested(self, message: DecisionRequest) -> list[Reaction]:
        if self._open is not None and message.request_id <= self._open.request.request_id:
            return self._request_repeated(message)
        request = Request(message, self._seat[1] if self._seat else 0, time.monotonic())
        self.close()
        self._open = _OpenRequest(request)
        return [Decide(request)]

    def _request_repeated(self, message: DecisionRequest) -> list[Reaction]:
        """Process a repeated request. Does not repeat `decide`, which might still be running."""
        if self._open is None or message.request_id != self._open.request.request_id:
            return []
        return self._open.unsent_answer()

    def _rejected(self, rejected: DecisionRejected) -> list[Reaction]:
        log.warning("request %d: refused: %s", rejected.request_id, rejection_text(rejected))
        notify = Notify(rejected)
        open_request = self._open
        if open_request is None or not (
            rejected.open_request_id == rejected.request_id == open_request.request.request_id
        ):
            return [notify]
        open_request.answer = None
        open_request.sent_on_current_stream = False
        open_request.refused_answers += 1
        if open_request.refused_answers >= MAX_REFUSED_ANSWERS:
            raise NoLegalDecisionError(open_request.refused_answers, rejected)
        return [notify, Decide(open_request.request)]


def _message(request: Request, choice: Choice) -> PlayRequest:
    """Return the message that carries a choice."""
    if isinstance(choice, Resign):
        return PlayRequest(resign=ResignMessage())
    answer = choice if isinstance(choice, Answer) else Answer(choice)
    decision = Decision(request_id=request.request_id, note=answer.note)
    if isinstance(answer.choice, Message):
        decision.decision.CopyFrom(_game_decision(answer.choice))
        return PlayRequest(decision=decision)
    try:
        index = operator.index(answer.choice)
    except TypeError:
        raise TypeError(
            f"decide returned {answer.choice!r}; expected an index, a decision, an Answer or "
            "Resign()"
        ) from None
    if index < 0:
        raise ValueError(f"decide returned {index}; an index must not be negative")
    # The server refuses an index that is too large and reports the valid range.
    decision.index = min(index, MAX_INDEX)
    return PlayRequest(decision=decision)


def _game_decision(decision: Message) -> GameDecision:
    """Wrap a decision of a game in a `GameDecision`."""
    if isinstance(decision, GameDecision):
        return decision
    game = _GAME_OF_DECISION.get(decision.DESCRIPTOR.full_name)
    if game is None:
        raise TypeError(
            f"decide returned a {decision.DESCRIPTOR.full_name}, which is not a decision"
        )
    game_decision = GameDecision()
    getattr(game_decision, game).CopyFrom(decision)
    return game_decision
