"""Reports to the server of an attendance whether the bot is paused."""

import logging
import threading
from dataclasses import dataclass
from types import TracebackType

import grpc

from bridgemaster.v1.lobby_service_pb2 import (
    ATTENDANCE_STATE_ACTIVE,
    ATTENDANCE_STATE_PAUSED,
    ATTENDANCE_STATE_VALIDATING,
    Attendance,
    UpdateAttendanceRequest,
)
from bridgemaster.v1.lobby_service_pb2_grpc import LobbyServiceStub

from ._pause import PauseSwitch
from ._route import Server
from ._stream import open_channel

UPDATE_TIMEOUT_S = 10.0
"""Time limit of one UpdateAttendance call."""

log = logging.getLogger("bridgemaster")


@dataclass
class _ReportedState:
    """The state of an attendance at its server, as reported last."""

    server: Server
    attendance_id: str
    paused: bool


class PauseReporter:
    """Reports changes of a switch to the server of an attendance, on its own thread."""

    def __init__(self, switch: PauseSwitch, metadata: tuple[tuple[str, str], ...]) -> None:
        """Start without an attendance."""
        self._switch = switch
        self._metadata = metadata
        self._reported: _ReportedState | None = None
        self._stopped = False

    def __enter__(self) -> "PauseReporter":
        """Start the thread."""
        threading.Thread(target=self._run, name="bridgemaster-pause", daemon=True).start()
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
        # In every other state the bot receives no offers anyway.
        states = (ATTENDANCE_STATE_ACTIVE, ATTENDANCE_STATE_PAUSED, ATTENDANCE_STATE_VALIDATING)
        paused = attendance.state == ATTENDANCE_STATE_PAUSED
        reported = _ReportedState(server, attendance.attendance_id, paused)
        with self._switch.changed:
            self._reported = reported if attendance.state in states else None
            self._switch.changed.notify_all()

    def stream_lost(self) -> None:
        """Discard the recorded state; the next stream reports a new one."""
        with self._switch.changed:
            self._reported = None

    def _run(self) -> None:
        while True:
            with self._switch.changed:
                self._switch.changed.wait_for(self._must_wake)
                if self._stopped or self._reported is None:
                    return
                reported = self._reported
                # If the call fails, the next message corrects the state, or the stream is lost.
                reported.paused = paused = self._switch.is_paused
            self._update(reported, paused=paused)

    def _must_wake(self) -> bool:
        reported = self._reported
        differs = reported is not None and reported.paused != self._switch.is_paused
        return self._stopped or differs

    def _update(self, reported: _ReportedState, *, paused: bool) -> None:
        request = UpdateAttendanceRequest(attendance_id=reported.attendance_id, paused=paused)
        channel = open_channel(reported.server)
        try:
            LobbyServiceStub(channel).UpdateAttendance(
                request, metadata=self._metadata, timeout=UPDATE_TIMEOUT_S
            )
        except grpc.RpcError as failure:
            log.warning("cannot report to the server that the bot paused or resumed: %s", failure)
        finally:
            channel.close()
