"""What a bot author writes."""

from abc import ABC, abstractmethod

from bridgemaster.v1.game_pb2 import GameDecision
from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import DecisionRejected, DecisionRequest, MatchStarted


class Resign:
    """A choice that gives the match up: the seat forfeits and takes the last place."""


Choice = int | GameDecision | Resign
"""The answer to a request: a position in the list of legal decisions (from 0), a decision in full,
or `Resign()`."""


class Bot(ABC):
    """Decides for one seat of one match.

    All methods are called one after the other on a thread of the bot's own. A bot may think there
    as long as its clock allows; Pings are answered meanwhile.
    """

    name: str
    """1 to 64 printable characters."""
    version: str = ""
    """At most 64 printable characters."""
    games: tuple[str, ...] = ()
    """Identifiers of the games that the bot plays; empty for all."""

    @abstractmethod
    def decide(self, request: DecisionRequest) -> Choice:
        """Answer a request.

        The request is complete: what happened earlier need not be remembered. The clock of the
        seat runs until the answer is at the server; `request.clock.decision_left_ms` was left
        when the request was sent. When the answer is refused, `decision_rejected` is called, and
        then this method with the same request.
        """

    def match_started(self, started: MatchStarted) -> None:  # noqa: B027
        """Learn what stays the same during the match. Called before the first `decide`.

        Called again when the server has lost the end of what was played: forget all requests
        before. What is asked next is complete, as ever.
        """

    def decision_rejected(self, rejected: DecisionRejected) -> None:  # noqa: B027
        """Learn why a decision was refused; `rejected.field` and `rejected.detail` say it."""

    def match_ended(self, result: MatchResult) -> None:  # noqa: B027
        """Learn the result."""
