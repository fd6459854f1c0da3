"""Tells the server of an attendance that the bot pauses, or goes on."""

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
from ._route import Place
from ._stream import channel_to

TELLING_TIMEOUT_S = 10.0
"""How long a server has to take in that a bot pauses."""

log = logging.getLogger("bridgemaster")


@dataclass
class _Standing:
    """What a server was told of an attendance."""

    place: Place
    attendance_id: str
    paused: bool


class Teller:
    """Tells the server of an attendance how its switch is turned, on a thread of its own."""

    def __init__(self, switch: PauseSwitch, metadata: tuple[tuple[str, str], ...]) -> None:
        """Begin with an attendance that no server knows."""
        self._switch = switch
        self._metadata = metadata
        self._told: _Standing | None = None
        self._ended = False

    def __enter__(self) -> "Teller":
        """Start the thread."""
        threading.Thread(target=self._tell, name="bridgemaster-pause", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Have the thread end."""
        with self._switch.turned:
            self._ended = True
            self._switch.turned.notify_all()

    def hear(self, place: Place, attendance: Attendance) -> None:
        """Take in how a server says that the bot stands."""
        # In other states it is offered nothing in any case.
        states = (ATTENDANCE_STATE_ACTIVE, ATTENDANCE_STATE_PAUSED, ATTENDANCE_STATE_VALIDATING)
        known = attendance.state in states
        paused = attendance.state == ATTENDANCE_STATE_PAUSED
        with self._switch.turned:
            told = _Standing(place, attendance.attendance_id, paused)
            self._told = told if known else None
            self._switch.turned.notify_all()

    def lose(self) -> None:
        """Take in that the stream is lost: the next one says how the bot stands."""
        with self._switch.turned:
            self._told = None

    def _tell(self) -> None:
        while True:
            with self._switch.turned:
                self._switch.turned.wait_for(self._has_to)
                if self._ended or self._told is None:
                    return
                told = self._told
                # Where it fails, the next message says how it stands, or the stream is lost.
                told.paused = paused = self._switch.is_paused
            self._update(told, paused=paused)

    def _has_to(self) -> bool:
        told = self._told
        return self._ended or (told is not None and told.paused != self._switch.is_paused)

    def _update(self, told: _Standing, *, paused: bool) -> None:
        request = UpdateAttendanceRequest(attendance_id=told.attendance_id, paused=paused)
        channel = channel_to(told.place)
        try:
            LobbyServiceStub(channel).UpdateAttendance(
                request, metadata=self._metadata, timeout=TELLING_TIMEOUT_S
            )
        except grpc.RpcError as failure:
            log.warning("the server could not be told that the bot pauses or goes on: %s", failure)
        finally:
            channel.close()
