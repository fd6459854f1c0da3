"""Reports the state of an attending bot to its server: paused or not, and busy slots."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

import grpc

from bridgemaster.v1.lobby_service_pb2 import (
    ATTENDANCE_STATE_ACTIVE,
    ATTENDANCE_STATE_PAUSED,
    ATTENDANCE_STATE_VALIDATING,
    Attendance,
    DeclineOfferRequest,
    Offer,
    UpdateAttendanceRequest,
)
from bridgemaster.v1.lobby_service_pb2_grpc import LobbyServiceStub

from ._pause import PauseSwitch
from ._route import Server
from ._slots import CHECK_INTERVAL_S, Slots
from ._stream import open_channel

CALL_TIMEOUT_S = 10.0
"""Time limit of one call."""
SLOTS_BUSY = "all slots are busy: the bot still computes for matches that have ended"
"""Reason that the server receives with an offer for which no slot became free."""

log = logging.getLogger("bridgemaster")


@dataclass
class _ReportedState:
    """The state of an attendance at its server, as reported last."""

    server: Server
    attendance_id: str
    paused: bool | None
    """None if the bot receives no offers anyway."""


class AttendanceReporter:
    """Reports changes to the server of an attendance, on its own thread."""

    def __init__(
        self, switch: PauseSwitch, slots: Slots, metadata: tuple[tuple[str, str], ...]
    ) -> None:
        """Start without an attendance."""
        self._switch = switch
        self._slots = slots
        self._metadata = metadata
        self._reported: _ReportedState | None = None
        self._stopped = False

    def __enter__(self) -> "AttendanceReporter":
        """Start the thread."""
        threading.Thread(target=self._run, name="bridgemaster-attendance", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the thread."""
        with self._switch.changed:
            self._stopped = True
            self._switch.changed.notify_all()

    def attendance_received(self, server: Server, attendance: Attendance) -> None:
        """Record the state that the server reports for the bot."""
        self._slots.set_used_at_server(attendance.slots_used, attendance.busy_slots)
        states = (ATTENDANCE_STATE_ACTIVE, ATTENDANCE_STATE_PAUSED, ATTENDANCE_STATE_VALIDATING)
        paused = attendance.state == ATTENDANCE_STATE_PAUSED if attendance.state in states else None
        with self._switch.changed:
            self._reported = _ReportedState(server, attendance.attendance_id, paused)
            self._switch.changed.notify_all()

    def stream_lost(self) -> None:
        """Discard the recorded state; the next stream reports a new one."""
        self._slots.set_used_at_server(None)
        with self._switch.changed:
            self._reported = None

    def _run(self) -> None:
        next_check_s = time.monotonic() + CHECK_INTERVAL_S
        while True:
            with self._switch.changed:
                left_s = max(0.0, next_check_s - time.monotonic())
                self._switch.changed.wait_for(self._must_wake, left_s)
                if self._stopped:
                    return
                reported, paused = self._reported, None
                if reported is not None and self._pause_differs():
                    # If the call fails, the next message corrects the state, or the stream is lost.
                    reported.paused = paused = self._switch.is_paused
            busy: int | None = None
            overdue: list[Offer] = []
            if time.monotonic() >= next_check_s:
                next_check_s = time.monotonic() + CHECK_INTERVAL_S
                busy, overdue = self._slots.check()
            if reported is not None:
                self._report(reported, paused, busy, overdue)

    def _must_wake(self) -> bool:
        return self._stopped or self._pause_differs()

    def _pause_differs(self) -> bool:
        reported = self._reported
        known = reported is not None and reported.paused is not None
        return known and reported.paused != self._switch.is_paused  # type: ignore[union-attr]

    def _report(
        self, reported: _ReportedState, paused: bool | None, busy: int | None, overdue: list[Offer]
    ) -> None:
        if paused is None and busy is None and not overdue:
            return
        if busy:
            log.warning("%d slots are busy: the bot still computes for finished matches", busy)
        update = UpdateAttendanceRequest(
            attendance_id=reported.attendance_id, paused=paused, busy_slots=busy
        )
        with open_channel(reported.server) as channel:
            stub = LobbyServiceStub(channel)
            if paused is not None or busy is not None:
                self._call(stub.UpdateAttendance, update)
            for offer in overdue:
                if self._slots.withdraw(offer.offer_id):
                    log.warning("offer %s declined: %s", offer.offer_id, SLOTS_BUSY)
                    decline = DeclineOfferRequest(offer_id=offer.offer_id, reason=SLOTS_BUSY)
                    self._call(stub.DeclineOffer, decline)

    def _call(self, method: Callable[..., object], request: object) -> None:
        """Call a method of the server. A failure is only logged, so that later calls are made."""
        try:
            method(request, metadata=self._metadata, timeout=CALL_TIMEOUT_S)
        except grpc.RpcError as failure:
            log.warning("cannot report the state of the bot to the server: %s", failure)
