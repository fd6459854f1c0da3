"""Options of an attendance, what may attend, and how it pauses."""

import queue
import threading
import unittest
from collections.abc import Iterator
from concurrent import futures
from unittest import mock

import grpc

import bridgemaster
from bridgemaster import Options, OptionsError, PauseSwitch
from bridgemaster._options import attends, queueing, seating
from bridgemaster.v1 import lobby_service_pb2, lobby_service_pb2_grpc

from .scripted_server import PATIENCE_S


class Passer(bridgemaster.Bot):
    """Takes the first legal decision."""

    name = "passer"
    version = "7"

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Answer a request."""
        return 0


class AttendTest(unittest.TestCase):
    """Nothing here needs a server."""

    def setUp(self) -> None:
        """Take the developer's own environment away."""
        clean = mock.patch.dict("os.environ", clear=True)
        clean.start()
        self.addCleanup(clean.stop)

    def test_a_queue_is_attended_where_there_is_no_ticket(self) -> None:
        self.assertFalse(attends(Options()))
        self.assertTrue(attends(Options(queue="cup")))
        self.assertFalse(attends(Options(queue="cup", ticket="t")))
        with mock.patch.dict("os.environ", {"BRIDGEMASTER_QUEUE": "cup"}):
            self.assertTrue(attends(Options()))
            self.assertFalse(attends(Options(ticket="t")))

    def test_queue_and_slots_come_from_the_environment_or_the_options(self) -> None:
        variables = {"BRIDGEMASTER_QUEUE": "cup", "BRIDGEMASTER_SLOTS": "4"}
        with mock.patch.dict("os.environ", variables):
            taken = queueing(Options(), Passer)
            self.assertEqual((taken.queue, taken.slots), ("cup", 4))
            self.assertEqual((taken.name, taken.version), ("passer", "7"))
            given = queueing(Options(queue="league", slots=2), Passer)
            self.assertEqual((given.queue, given.slots), ("league", 2))

    def test_a_seat_that_was_offered_is_looked_for_as_long_as_the_attendance(self) -> None:
        bot = Passer()
        alone = seating(Options(ticket="t"), bot)
        self.assertEqual((alone.connect_for_s, alone.reconnect_for_s), (10.0, 30.0))
        self.assertEqual(queueing(Options(queue="cup"), bot).reconnect_for_s, 600.0)
        given = Options(queue="cup", ticket="t")
        with mock.patch.dict("os.environ", {"BRIDGEMASTER_QUEUE": "cup"}):
            for options in (given, Options(ticket="t")):
                offered = seating(options, bot)
                self.assertEqual((offered.connect_for_s, offered.reconnect_for_s), (600.0, 600.0))
        brief = Options(queue="cup", ticket="t", reconnect_for_s=0.0)
        self.assertEqual(seating(brief, bot).reconnect_for_s, 0.0)

    def test_what_cannot_be_used_is_refused_before_anything_is_sent(self) -> None:
        with self.assertRaisesRegex(OptionsError, "no queue"):
            bridgemaster.attend(Passer)
        for slots in (-1, 65):
            with self.assertRaisesRegex(OptionsError, "1 to 64"):
                bridgemaster.attend(Passer, Options(queue="cup", slots=slots))
        with self.assertRaisesRegex(OptionsError, "give the class itself"):
            bridgemaster.attend(Passer(), Options(queue="cup", slots=2))
        with self.assertRaisesRegex(TypeError, "a class of something else"):
            bridgemaster.attend(int, Options(queue="cup"))  # type: ignore[type-var]

    def test_a_queue_that_nobody_opens_is_given_up(self) -> None:
        options = Options(server="http://127.0.0.1:1", queue="cup", connect_for_s=0.2)
        with self.assertRaisesRegex(bridgemaster.ServerLostError, "could not be attended"):
            bridgemaster.attend(Passer, options)


Standings = queue.SimpleQueue[bool | grpc.StatusCode | None]
"""Whether the bot pauses, one message after the other."""


class Lobby(lobby_service_pb2_grpc.LobbyServiceServicer):
    """A queue whose streams say how the bot stands, until `None` or a failure ends them."""

    def __init__(self) -> None:
        """Begin without a bot."""
        self.attended: queue.SimpleQueue[Standings] = queue.SimpleQueue()
        self.updates: queue.SimpleQueue[tuple[str, bool]] = queue.SimpleQueue()

    def Attend(  # noqa: N802
        self, request: lobby_service_pb2.AttendRequest, context: grpc.ServicerContext
    ) -> Iterator[lobby_service_pb2.AttendResponse]:
        """Tell how the bot stands, whenever the test says so."""
        told: Standings = queue.SimpleQueue()
        self.attended.put(told)
        while (paused := told.get()) is not None:
            if isinstance(paused, grpc.StatusCode):
                context.abort(paused, "gone")
            state = "PAUSED" if paused else "ACTIVE"
            attendance = lobby_service_pb2.Attendance(
                attendance_id="a", state=f"ATTENDANCE_STATE_{state}"
            )
            yield lobby_service_pb2.AttendResponse(attendance=attendance)

    def UpdateAttendance(  # noqa: N802
        self, request: lobby_service_pb2.UpdateAttendanceRequest, context: grpc.ServicerContext
    ) -> lobby_service_pb2.UpdateAttendanceResponse:
        """Note what the bot says."""
        self.updates.put((request.attendance_id, request.paused))
        return lobby_service_pb2.UpdateAttendanceResponse()


class PauseTest(unittest.TestCase):
    """A bot that attends a queue of the test's own."""

    def test_a_bot_pauses_and_goes_on_as_its_switch_is_turned_over_all_streams(self) -> None:
        lobby = Lobby()
        server = grpc.server(futures.ThreadPoolExecutor(4))
        lobby_service_pb2_grpc.add_LobbyServiceServicer_to_server(lobby, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        self.addCleanup(server.stop, None)
        switch = PauseSwitch()
        options = Options(server=f"http://127.0.0.1:{port}", queue="cup", pause=switch)
        attending = threading.Thread(
            target=bridgemaster.attend, args=(Passer, options), daemon=True
        )
        attending.start()
        told = lobby.attended.get(timeout=PATIENCE_S)
        told.put(False)
        switch.pause()
        self.assertTrue(switch.is_paused)
        self.assertEqual(lobby.updates.get(timeout=PATIENCE_S), ("a", True))
        told.put(True)
        # The server is started again, and knows nothing of it.
        told.put(grpc.StatusCode.UNAVAILABLE)
        told = lobby.attended.get(timeout=PATIENCE_S)
        told.put(False)
        self.assertEqual(lobby.updates.get(timeout=PATIENCE_S), ("a", True))
        told.put(True)
        switch.resume()
        self.assertEqual(lobby.updates.get(timeout=PATIENCE_S), ("a", False))
        told.put(False)
        told.put(None)
        attending.join(PATIENCE_S)
        self.assertFalse(attending.is_alive(), "the queue is left")
