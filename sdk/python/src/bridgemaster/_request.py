"""A request as a bot sees it, with its clock."""

import time
from collections.abc import Sequence
from typing import Any

from bridgemaster.v1.clock_pb2 import Charge
from bridgemaster.v1.clock_pb2 import Clock as ClockMessage
from bridgemaster.v1.game_pb2 import GameRequest
from bridgemaster.v1.play_pb2 import DecisionRequest


class Request:
    """A decision that the bot is asked for.

    A request is complete: no earlier one is needed to answer it well.

    For one game, go through `game`, which type checkers and editors know:
    `request.game.alhambra.observation`. For code that serves several games, `observation`,
    `legal_decisions` and `events` are those of whichever game it is.
    """

    def __init__(
        self, message: DecisionRequest, seat: int = 0, received_s: float | None = None
    ) -> None:
        """Make a request to a seat; the package does it, and a test of a bot can too.

        `received_s` is the moment of its receipt by `time.monotonic()`, now if not given.
        """
        self.message = message
        """The message as it came."""
        self.seat = seat
        """The seat that is asked, from 0."""
        self._received_s = time.monotonic() if received_s is None else received_s

    def __repr__(self) -> str:
        """Tell the game and how many decisions are legal."""
        return (
            f"<Request {self.request_id} to seat {self.seat}: "
            f"{self.game_name or 'unknown game'}, {self.legal_count} legal decisions>"
        )

    @property
    def request_id(self) -> int:
        """Number of the request: counts from 1 for each seat."""
        return self.message.request_id

    @property
    def legal_count(self) -> int:
        """Length of the list of legal decisions, at least 1: any index below it can be answered."""
        return self.message.legal_count

    @property
    def legal_decisions_cut(self) -> bool:
        """Whether the list was cut: any other legal decision is accepted too, if given in full."""
        return self.message.legal_decisions_cut

    @property
    def game(self) -> GameRequest:
        """What is asked, in the entry of its game."""
        return self.message.game

    @property
    def game_name(self) -> str:
        """Identifier of the game, such as `alhambra`; empty for one that this package lacks."""
        return self.message.game.WhichOneof("game") or ""

    @property
    def observation(self) -> Any:
        """What the seat knows: the Observation of the game."""
        return self._asked().observation

    @property
    def legal_decisions(self) -> Sequence[Any]:
        """The legal decisions, always in the same order: each a Decision of the game."""
        decisions: Sequence[Any] = self._asked().legal_decisions
        return decisions

    @property
    def events(self) -> Sequence[Any]:
        """What happened since the seat was asked last: each an Event of the game."""
        events: Sequence[Any] = self._asked().events
        return events

    @property
    def clock(self) -> "Clock":
        """The clock of the seat, which runs until the answer is at the server."""
        return Clock(self.message.clock, self._received_s)

    def _asked(self) -> Any:
        if not self.game_name:
            raise LookupError("this version of the package does not know the game of the request")
        return getattr(self.message.game, self.game_name)


class Clock:
    """The clock of a seat while it decides, in seconds, counted from the receipt of the request.

    It leaves out the time on the network in both directions. The server credits the measured round
    trip, up to the limit in the clock rules of the match.
    """

    def __init__(self, at_receipt: ClockMessage, received_s: float) -> None:
        """Take the clock as it was when the request was received."""
        self._at_receipt = at_receipt
        self._received_s = received_s

    @property
    def used_s(self) -> float:
        """Time since the request was received."""
        return time.monotonic() - self._received_s

    @property
    def decision_left_s(self) -> float:
        """Time left for this decision, now; 0 when it is late."""
        return max(0.0, self._at_receipt.decision_left_ms / 1000 - self.used_s)

    @property
    def bank_left_s(self) -> float:
        """Time left in the bank, now; 0 when it is empty."""
        return max(0.0, self._at_receipt.bank_left_ms / 1000 - self.used_s)

    @property
    def last_charge(self) -> Charge | None:
        """What the last answer of this seat was charged, and how; None before the first."""
        return self._at_receipt.last_charge if self._at_receipt.HasField("last_charge") else None
