"""What a bot author writes."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf.message import Message

from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import DecisionRejected, MatchStarted, SeatStatus

from ._request import Request


class Resign:
    """A choice that gives the match up: the seat forfeits and takes the last place."""


@dataclass(frozen=True)
class Answer:
    """A choice with a note for people who read the replay."""

    choice: int | Message
    """A position in the list of legal decisions, or a decision in full."""
    note: str = ""
    """What the bot thinks of the position: at most 1 KiB in UTF-8, which no rule and no other bot
    reads. A note that the server does not keep is dropped; the choice counts all the same."""


Choice: TypeAlias = int | Message | Answer | Resign
"""The answer to a request: a position in the list of legal decisions (from 0), a decision in full
(a Decision of the game, or a GameDecision), either of them in an `Answer` with a note, or
`Resign()`."""


class _Described:
    """What a bot says about itself."""

    name: str | None = None
    """1 to 64 printable characters; None for the name of the program's file. On a server that asks
    for API keys, the name of the key counts instead."""
    version: str = ""
    """At most 64 printable characters."""
    games: Sequence[str] = ()
    """Identifiers of the games that the bot plays, such as `alhambra`; empty for all."""


class Bot(_Described, ABC):
    """Decides for one seat of one match.

    All methods are called one after the other on a thread of the bot's own. A bot may think there
    as long as its clock allows; Pings are answered meanwhile.
    """

    @abstractmethod
    def decide(self, request: Request) -> Choice:
        """Answer a request.

        The clock of the seat runs until the answer is at the server; `request.clock` tells it. When
        the answer is refused and the request still open, `decision_rejected` is called, and then
        this method with the same request.
        """

    def match_started(self, started: MatchStarted) -> None:
        """Learn what stays the same during the match. Called before the first `decide`.

        Called again when the server has lost the end of what was played: forget all requests
        before. What is asked next is complete, as ever.
        """

    def decision_rejected(self, rejected: DecisionRejected) -> None:
        """Learn why a decision was refused; `rejected.field` and `rejected.detail` say it."""

    def seat_changed(self, status: SeatStatus) -> None:
        """Learn that a seat's bot, perhaps this one, is gone, back, has a strike or forfeited."""

    def match_ended(self, result: MatchResult) -> None:
        """Learn the result. Not called if the server is lost before."""


class AsyncBot(_Described, ABC):
    """A `Bot` whose methods are coroutines, which run one after the other.

    They run on the event loop of `play_async`. A bot that thinks long without an `await` keeps
    everything else on that loop waiting, but not the answers to Pings.
    """

    @abstractmethod
    async def decide(self, request: Request) -> Choice:
        """Answer a request. See `Bot.decide`."""

    async def match_started(self, started: MatchStarted) -> None:
        """Learn what stays the same during the match. See `Bot.match_started`."""

    async def decision_rejected(self, rejected: DecisionRejected) -> None:
        """Learn why a decision was refused. See `Bot.decision_rejected`."""

    async def seat_changed(self, status: SeatStatus) -> None:
        """Learn that a seat's bot changed. See `Bot.seat_changed`."""

    async def match_ended(self, result: MatchResult) -> None:
        """Learn the result. See `Bot.match_ended`."""


Decide: TypeAlias = Callable[[Request], Choice]
"""A bot that is only a function."""
AsyncDecide: TypeAlias = Callable[[Request], Awaitable[Choice]]
"""A bot that is only a coroutine function."""
AnyBot: TypeAlias = Bot | AsyncBot | Decide | AsyncDecide
"""Whatever can play."""
