"""A decision request and its clock."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from bridgemaster.v1.clock_pb2 import Charge
from bridgemaster.v1.clock_pb2 import Clock as ClockMessage
from bridgemaster.v1.game_pb2 import GameRequest
from bridgemaster.v1.play_pb2 import DecisionRequest


class Request:
    """A decision request.

    Every request is complete: a bot needs no earlier request to answer it.

    Use `game` for code that handles one game; type checkers and editors know its fields:
    `request.game.alhambra.observation`. `observation`, `legal_decisions` and `events` are the same
    fields for code that handles several games.
    """

    def __init__(
        self, message: DecisionRequest, seat: int = 0, received_s: float | None = None
    ) -> None:
        """Create a request. Bots get requests from the package; this is for tests of a bot.

        `received_s` is the time of receipt by `time.monotonic()`; None for now.
        """
        self.message = message
        """The message as received."""
        self.seat = seat
        """The seat that decides, from 0."""
        self.cancelled = threading.Event()
        """Set once the answer is no longer needed: the match has ended, or the server has replaced
        the request. A long computation should check `request.cancelled.is_set()`, and return any
        choice, or raise an exception; either is ignored. A coroutine is cancelled."""
        self._received_s = time.monotonic() if received_s is None else received_s
        self._when_cancelled: Callable[[], object] = bool

    def cancel(self) -> None:
        """Set `cancelled`. The package calls this."""
        self.cancelled.set()
        self._when_cancelled()

    def when_cancelled(self, callback: Callable[[], object]) -> None:
        """Set the function to call on cancellation. The package calls this."""
        self._when_cancelled = callback
        if self.cancelled.is_set():
            callback()

    def __getstate__(self) -> tuple[DecisionRequest, int, float, bool]:
        """Return what is pickled, for example for a process that computes the answer.

        The copy is not cancelled with the request: a lock cannot be pickled.
        """
        return self.message, self.seat, self._received_s, self.cancelled.is_set()

    def __setstate__(self, state: tuple[DecisionRequest, int, float, bool]) -> None:
        """Restore a request."""
        message, seat, received_s, is_cancelled = state
        Request.__init__(self, message, seat, received_s)
        if is_cancelled:
            self.cancelled.set()

    def __repr__(self) -> str:
        """Return the seat, the game and the number of legal decisions."""
        return (
            f"<Request {self.request_id} to seat {self.seat}: "
            f"{self.game_name or 'unknown game'}, {self.legal_count} legal decisions>"
        )

    @property
    def request_id(self) -> int:
        """Number of the request, from 1 for each seat."""
        return self.message.request_id

    @property
    def legal_count(self) -> int:
        """Number of legal decisions, at least 1; every index below it is valid."""
        return self.message.legal_count

    @property
    def legal_decisions_cut(self) -> bool:
        """True if the list is truncated; the server also accepts decisions outside the list."""
        return self.message.legal_decisions_cut

    @property
    def game(self) -> GameRequest:
        """The contents of the request, in the field of its game."""
        return self.message.game

    @property
    def game_name(self) -> str:
        """Identifier of the game, such as `alhambra`; empty if it is unknown to this package."""
        return self.message.game.WhichOneof("game") or ""

    @property
    def observation(self) -> Any:
        """The Observation of the game: everything that the seat may see."""
        return self._game_request().observation

    @property
    def legal_decisions(self) -> Sequence[Any]:
        """The legal decisions, always in the same order; each is a Decision of the game."""
        decisions: Sequence[Any] = self._game_request().legal_decisions
        return decisions

    @property
    def events(self) -> Sequence[Any]:
        """The events since the previous request to this seat; each is an Event of the game."""
        events: Sequence[Any] = self._game_request().events
        return events

    @property
    def clock(self) -> "Clock":
        """The clock of the seat, which runs until the answer reaches the server."""
        return Clock(self.message.clock, self._received_s)

    def _game_request(self) -> Any:
        if not self.game_name:
            raise LookupError("this version of the package does not know the game of the request")
        return getattr(self.message.game, self.game_name)


class Clock:
    """The clock of a seat while it decides, in seconds.

    It counts from the receipt of the request and so excludes network time in both directions. The
    server credits the measured round trip, up to the limit in the clock rules of the match.
    """

    def __init__(self, at_receipt: ClockMessage, received_s: float) -> None:
        """Create a clock from its values at `received_s`."""
        self._at_receipt = at_receipt
        self._received_s = received_s

    @property
    def used_s(self) -> float:
        """Time since the request was received."""
        return time.monotonic() - self._received_s

    @property
    def decision_left_s(self) -> float:
        """Time left for this decision; 0 after the deadline."""
        return max(0.0, self._at_receipt.decision_left_ms / 1000 - self.used_s)

    @property
    def bank_left_s(self) -> float:
        """Time left in the bank; 0 if it is empty."""
        return max(0.0, self._at_receipt.bank_left_ms / 1000 - self.used_s)

    @property
    def last_charge(self) -> Charge | None:
        """The time charged for the previous answer of this seat; None before the first answer."""
        return self._at_receipt.last_charge if self._at_receipt.HasField("last_charge") else None
