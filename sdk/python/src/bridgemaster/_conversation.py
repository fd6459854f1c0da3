"""What is known of a match, over all streams of its seat. Knows no network.

It decides what a message that was received calls for.
"""

import logging
import operator
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
    explanation,
)
from ._options import Seating
from ._request import Request
from ._seed_commitment import seed_commitment

PROTOCOL_REVISION = 1
"""Revision of the protocol that this package speaks."""
MAX_REFUSED_ANSWERS = 3
"""Refused answers to one request after which the bot is given up: it finds no legal one, and going
on would end as a flood."""
MAX_INDEX = 2**32 - 1
"""The largest index that a message can carry."""

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
class Ask:
    """Ask the bot."""

    request: Request


@dataclass(frozen=True)
class Tell:
    """Tell the bot."""

    what: MatchStarted | DecisionRejected | SeatStatus


@dataclass(frozen=True)
class End:
    """The match is over."""

    result: MatchResult


Reaction: TypeAlias = Send | Ask | Tell | End


@dataclass
class _Open:
    """The newest request, until another replaces it."""

    request: Request
    answer: PlayRequest | None = None
    sent_on_this_stream: bool = False
    """A lost stream may have swallowed what was sent on it."""
    refused_answers: int = 0

    def send(self) -> list[Reaction]:
        """Send the answer, if there is one that the stream in use has not carried."""
        if self.answer is None or self.sent_on_this_stream:
            return []
        self.sent_on_this_stream = True
        return [Send(self.answer)]


class Conversation:
    """One seat of one match, over as many streams as it takes."""

    def __init__(self, seating: Seating) -> None:
        """Begin with nothing known."""
        self._seating = seating
        self._last_sequence = 0
        self._seat: tuple[str, int] | None = None
        """Match and seat, from the first Welcome on."""
        self._history_id = ""
        self._seed_commitment = ""
        """Empty until the start, and with a server that commits to nothing."""
        self._seed_stays_secret = False
        """Until the group of the match is over."""
        self._open: _Open | None = None
        self.progressed = False
        """Whether the stream in use has brought a message that counts."""

    @property
    def was_welcomed(self) -> bool:
        """Whether a server ever welcomed this bot."""
        return self._seat is not None

    def hello(self) -> PlayRequest:
        """Begin a stream; return the Hello that it starts with."""
        self.progressed = False
        if self._open is not None:
            self._open.sent_on_this_stream = False
        hello = Hello(
            protocol_revision=PROTOCOL_REVISION,
            bot_name=self._seating.name,
            bot_version=self._seating.version,
            games=self._seating.games,
        )
        if self._last_sequence > 0:
            hello.last_sequence = self._last_sequence
            hello.history_id = self._history_id
        return PlayRequest(hello=hello)

    def welcome(self, welcome: Welcome) -> list[Reaction]:
        """Take the Welcome of a stream.

        The answer that the stream before may have lost is sent again: the server ignores it if it
        had arrived. A server that does not go on where the bot left off has lost the end of what
        was played, and with it goes all that is known of the course of the match.
        """
        seat = (welcome.match_id, welcome.seat)
        if self._seat not in (None, seat):
            raise ProtocolError("the ticket leads to another seat than before")
        self._seat = seat
        self._history_id = welcome.history_id
        if not welcome.resumed:
            if self._last_sequence > 0:
                log.warning("the server has lost what was played last: beginning anew")
            self._last_sequence = 0
            self._open = None
        return self._open.send() if self._open is not None else []

    def receive(self, response: PlayResponse) -> list[Reaction]:
        """Take a message that came after the Welcome."""
        kind = response.WhichOneof("message")
        if kind == "ping":
            return [Send(PlayRequest(pong=Pong(nonce=response.ping.nonce)))]
        if kind == "draining":
            log.info("the server is going to stop in %d ms", response.draining.time_left_ms)
            return []
        if kind == "welcome":
            raise ProtocolError("the server broke the protocol: a second Welcome on one stream")
        if response.sequence <= self._last_sequence:
            # Sent again after a lost stream, or not counted. Only an open request matters twice.
            again = kind == "decision_request"
            return self._asked_again(response.decision_request) if again else []
        self._last_sequence = response.sequence
        self.progressed = True
        if kind == "match_started":
            return self._started(response.match_started)
        if kind == "decision_request":
            return self._asked(response.decision_request)
        if kind == "decision_rejected":
            return self._rejected(response.decision_rejected)
        if kind == "seat_status":
            return [Tell(response.seat_status)]
        if kind == "match_ended":
            self._check_seed(response.match_ended)
            return [End(response.match_ended.result)]
        # None is a kind of a newer server.
        return []

    def answer(self, request: Request, choice: Choice) -> list[Reaction]:
        """Take what the bot chose, and send it if it is still wanted."""
        open_ = self._open
        if open_ is None or open_.request is not request:
            log.warning("request %d: the answer came too late", request.request_id)
            return []
        open_.answer = _message(request, choice)
        return open_.send()

    def _started(self, started: MatchStarted) -> list[Reaction]:
        if self._seed_commitment not in ("", started.seed_commitment):
            raise ProtocolError("the server broke the protocol: the seed commitment changed")
        self._seed_commitment = started.seed_commitment
        reveal = started.config.group.seed_reveal
        self._seed_stays_secret = reveal == SEED_REVEAL_WITH_GROUP
        return [Tell(started)]

    def _check_seed(self, ended: MatchEnded) -> None:
        told = self._seed_commitment
        if not told or (self._seed_stays_secret and not ended.seed and not ended.seed_salt):
            return
        if told != seed_commitment(ended.seed, ended.seed_salt):
            raise BrokenSeedCommitmentError(told, ended)

    def _asked(self, asked: DecisionRequest) -> list[Reaction]:
        if self._open is not None and asked.request_id <= self._open.request.request_id:
            return self._asked_again(asked)
        request = Request(asked, self._seat[1] if self._seat else 0, time.monotonic())
        self._open = _Open(request)
        return [Ask(request)]

    def _asked_again(self, asked: DecisionRequest) -> list[Reaction]:
        """Take a request that is known. The bot is not asked twice: it may still be thinking."""
        if self._open is None or asked.request_id != self._open.request.request_id:
            return []
        return self._open.send()

    def _rejected(self, rejected: DecisionRejected) -> list[Reaction]:
        log.warning("request %d: refused: %s", rejected.request_id, explanation(rejected))
        tell = Tell(rejected)
        open_ = self._open
        if open_ is None or not (
            rejected.open_request_id == rejected.request_id == open_.request.request_id
        ):
            return [tell]
        open_.answer = None
        open_.sent_on_this_stream = False
        open_.refused_answers += 1
        if open_.refused_answers >= MAX_REFUSED_ANSWERS:
            raise NoLegalDecisionError(open_.refused_answers, rejected)
        return [tell, Ask(open_.request)]


def _message(request: Request, choice: Choice) -> PlayRequest:
    """Return what to send for a choice."""
    if isinstance(choice, Resign):
        return PlayRequest(resign=ResignMessage())
    answer = choice if isinstance(choice, Answer) else Answer(choice)
    decision = Decision(request_id=request.request_id, note=answer.note)
    if isinstance(answer.choice, Message):
        decision.decision.CopyFrom(_in_full(answer.choice))
        return PlayRequest(decision=decision)
    try:
        index = operator.index(answer.choice)
    except TypeError:
        raise TypeError(
            f"decide returned {answer.choice!r}: an index, a decision, an Answer or Resign() is "
            "needed"
        ) from None
    if index < 0:
        raise ValueError(f"decide returned {index}: an index counts from 0")
    # The server refuses an index that is out of range, and says what would be valid.
    decision.index = min(index, MAX_INDEX)
    return PlayRequest(decision=decision)


def _in_full(decision: Message) -> GameDecision:
    """Return a decision as the protocol carries it: in the entry of its game."""
    if isinstance(decision, GameDecision):
        return decision
    game = _GAME_OF_DECISION.get(decision.DESCRIPTOR.full_name)
    if game is None:
        raise TypeError(f"decide returned a {decision.DESCRIPTOR.full_name}, which is no decision")
    full = GameDecision()
    getattr(full, game).CopyFrom(decision)
    return full
