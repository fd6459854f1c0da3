"""The interface that a bot author implements."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf.message import Message

from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import DecisionRejected, MatchStarted, SeatStatus

from ._request import Request


class Resign:
    """A choice that resigns the match: the seat forfeits and takes the last place."""


@dataclass(frozen=True)
class Answer:
    """A choice with a note for people who read the replay."""

    choice: int | Message
    """An index into the legal decisions, or a complete decision."""
    note: str = ""
    """The bot's comment on the position: at most 1 KiB in UTF-8. The note has no effect on the
    game, and other bots do not see it. A note that the server does not accept is dropped; the
    choice still counts."""


Choice: TypeAlias = int | Message | Answer | Resign
"""The answer to a request: an index into the legal decisions (from 0), a complete decision (a
Decision of the game, or a GameDecision), either of these in an `Answer` with a note, or
`Resign()`."""


class _BotInfo:
    """The attributes that a bot sends to the server."""

    name: str | None = None
    """1 to 64 printable characters; None for the name of the program's file. A server that requires
    API keys uses the name of the key instead."""
    version: str = ""
    """At most 64 printable characters."""
    games: Sequence[str] = ()
    """Identifiers of the games that the bot plays, such as `alhambra`; empty for all."""


class Bot(_BotInfo, ABC):
    """Decides for one seat of one match.

    All methods are called in sequence on a thread dedicated to the bot, so a bot can compute for as
    long as its clock allows. The package answers Pings in the meantime.
    """

    @abstractmethod
    def decide(self, request: Request) -> Choice:
        """Answer a request.

        The clock of the seat, `request.clock`, runs until the answer reaches the server. Called
        again with the same request after `decision_rejected`, as long as the request is still open.

        A long computation should end early once `request.cancelled` is set: until `decide` has
        returned, the bot cannot play in this slot again.
        """

    def match_started(self, started: MatchStarted) -> None:
        """Handle the start of the match. Called before the first `decide`.

        Called again if the server has lost the last part of the match: discard everything derived
        from earlier requests. The next request is complete, as every request is.
        """

    def decision_rejected(self, rejected: DecisionRejected) -> None:
        """Handle a refused decision; see `rejected.field` and `rejected.detail`."""

    def seat_changed(self, status: SeatStatus) -> None:
        """Handle a change of a seat, such as a disconnect, a strike or a forfeit."""

    def match_ended(self, result: MatchResult) -> None:
        """Handle the result. Not called if the server is lost before the end."""


class AsyncBot(_BotInfo, ABC):
    """A `Bot` whose methods are coroutines, which run in sequence.

    They run on the event loop of `play_async`. A bot that computes for long without an `await`
    blocks everything else on that loop, except the answers to Pings.
    """

    @abstractmethod
    async def decide(self, request: Request) -> Choice:
        """Answer a request; see `Bot.decide`."""

    async def match_started(self, started: MatchStarted) -> None:
        """Handle the start of the match; see `Bot.match_started`."""

    async def decision_rejected(self, rejected: DecisionRejected) -> None:
        """Handle a refused decision; see `Bot.decision_rejected`."""

    async def seat_changed(self, status: SeatStatus) -> None:
        """Handle a change of a seat; see `Bot.seat_changed`."""

    async def match_ended(self, result: MatchResult) -> None:
        """Handle the result; see `Bot.match_ended`."""


Decide: TypeAlias = Callable[[Request], Choice]
"""A bot that consists of its `decide` function."""
AsyncDecide: TypeAlias = Callable[[Request], Awaitable[Choice]]
"""A bot that consists of a `decide` coroutine function."""
AnyBot: TypeAlias = Bot | AsyncBot | Decide | AsyncDecide
"""Any kind of bot."""
