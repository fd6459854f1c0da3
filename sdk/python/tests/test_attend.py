"""Attending a queue: options, kinds of bots, and pauses."""

import logging
import queue
import threading
import unittest
from collections.abc import Iterator
from concurrent import futures
from unittest import mock

import grpc

import bridgemaster
from bridgemaster import Options, OptionsError, PauseSwitch
from bridgemaster._options import resolve_attend_options, resolve_options, should_attend
from bridgemaster._slots import Slots
from bridgemaster.v1 import (
    lobby_service_pb2,
    lobby_service_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
)

from .scripted_server import TIMEOUT_S, decision_request, match_ended


class Passer(bridgemaster.Bot):
    """Takes the first legal decision."""

    name = "passer"
    version = "7"

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Answer a request."""
        return 0


class AttendTest(unittest.TestCase):
    """Options of an attendance, without a server."""

    def setUp(self) -> None:
        """Clear the developer's own environment."""
        clean = mock.patch.dict("os.environ", clear=True)
        clean.start()
        self.addCleanup(clean.stop)

    def test_a_queue_is_attended_where_there_is_no_ticket(self) -> None:
        self.assertFalse(should_attend(Options()))
        self.assertTrue(should_attend(Options(queue="cup")))
        self.assertFalse(should_attend(Options(queue="cup", ticket="t")))
        with mock.patch.dict("os.environ", {"BRIDGEMASTER_QUEUE": "cup"}):
            self.assertTrue(should_attend(Options()))
            self.assertFalse(should_attend(Options(ticket="t")))

    def test_queue_and_slots_come_from_the_environment_or_the_options(self) -> None:
        variables = {"BRIDGEMASTER_QUEUE": "cup", "BRIDGEMASTER_SLOTS": "4"}
        with mock.patch.dict("os.environ", variables):
            from_environment = resolve_attend_options(Options(), Passer)
            self.assertEqual((from_environment.queue, from_environment.slots), ("cup", 4))
            self.assertEqual((from_environment.name, from_environment.version), ("passer", "7"))
            given = resolve_attend_options(Options(queue="league", slots=2), Passer)
            self.assertEqual((given.queue, given.slots), ("league", 2))

    def test_an_offered_seat_is_retried_for_as_long_as_the_attendance(self) -> None:
        bot = Passer()
        alone = resolve_options(Options(ticket="t"), bot)
        self.assertEqual((alone.connect_for_s, alone.reconnect_for_s), (10.0, 30.0))
        attending = resolve_attend_options(Options(queue="cup"), bot)
        self.assertEqual(attending.reconnect_for_s, 600.0)
        given = Options(queue="cup", ticket="t")
        with mock.patch.dict("os.environ", {"BRIDGEMASTER_QUEUE": "cup"}):
            for options in (given, Options(ticket="t")):
                offered = resolve_options(options, bot)
                self.assertEqual((offered.connect_for_s, offered.reconnect_for_s), (600.0, 600.0))
        brief = Options(queue="cup", ticket="t", reconnect_for_s=0.0)
        self.assertEqual(resolve_options(brief, bot).reconnect_for_s, 0.0)

    def test_invalid_options_are_refused_before_connecting(self) -> None:
        with self.assertRaisesRegex(OptionsError, "no queue"):
            bridgemaster.attend(Passer)
        for slots in (-1, 65):
            with self.assertRaisesRegex(OptionsError, "1 to 64"):
                bridgemaster.attend(Passer, Options(queue="cup", slots=slots))
        with self.assertRaisesRegex(OptionsError, "pass the class itself"):
            bridgemaster.attend(Passer(), Options(queue="cup", slots=2))
        with self.assertRaisesRegex(TypeError, "not a subclass of Bot"):
            bridgemaster.attend(int, Options(queue="cup"))  # type: ignore[type-var]

    def test_a_proxy_must_have_an_http_address(self) -> None:
        for proxy in ("https://proxy:3128", "socks5://proxy:1080", "proxy"):
            with self.assertRaisesRegex(OptionsError, "^proxy: "):
                bridgemaster.attend(Passer, Options(queue="cup", proxy=proxy))

    def test_an_absent_queue_is_abandoned_after_the_time_limit(self) -> None:
        options = Options(server="http://127.0.0.1:1", queue="cup", connect_for_s=0.2)
        with self.assertRaisesRegex(bridgemaster.ServerLostError, "could not be attended"):
            bridgemaster.attend(Passer, options)


States = queue.SimpleQueue[
    bool | lobby_service_pb2.Attendance | lobby_service_pb2.Offer | grpc.StatusCode | None
]
"""Messages to send; a bool is an attendance that is paused or not; None or a failure ends the
stream."""


def offer(number: str, time_left_ms: int = 30_000) -> lobby_service_pb2.Offer:
    """Create an offer."""
    ticket = f"ticket-{number}"
    return lobby_service_pb2.Offer(offer_id=number, ticket=ticket, time_left_ms=time_left_ms)


class Lobby(lobby_service_pb2_grpc.LobbyServiceServicer):
    """A queue whose streams send the states that the test queues."""

    def __init__(self) -> None:
        """Start without a bot."""
        self.attended: queue.SimpleQueue[States] = queue.SimpleQueue()
        self.updates: queue.SimpleQueue[tuple[str, bool]] = queue.SimpleQueue()
        self.busy: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.declined: queue.SimpleQueue[str] = queue.SimpleQueue()

    def Attend(  # noqa: N802
        self, request: lobby_service_pb2.AttendRequest, context: grpc.ServicerContext
    ) -> Iterator[lobby_service_pb2.AttendResponse]:
        """Send the queued states of the attendance."""
        states: States = queue.SimpleQueue()
        self.attended.put(states)
        while (paused := states.get()) is not None:
            if isinstance(paused, grpc.StatusCode):
                context.abort(paused, "gone")
            if isinstance(paused, lobby_service_pb2.Attendance):
                yield lobby_service_pb2.AttendResponse(attendance=paused)
                continue
            if isinstance(paused, lobby_service_pb2.Offer):
                yield lobby_service_pb2.AttendResponse(offer=paused)
                continue
            state = "PAUSED" if paused else "ACTIVE"
            attendance = lobby_service_pb2.Attendance(
                attendance_id="a", state=f"ATTENDANCE_STATE_{state}"
            )
            yield lobby_service_pb2.AttendResponse(attendance=attendance)

    def UpdateAttendance(  # noqa: N802
        self, request: lobby_service_pb2.UpdateAttendanceRequest, context: grpc.ServicerContext
    ) -> lobby_service_pb2.UpdateAttendanceResponse:
        """Record an update of the bot."""
        if request.HasField("busy_slots"):
            self.busy.put(request.busy_slots)
            context.abort(grpc.StatusCode.UNAVAILABLE, "try again")
        else:
            self.updates.put((request.attendance_id, request.paused))
        return lobby_service_pb2.UpdateAttendanceResponse()

    def DeclineOffer(  # noqa: N802
        self, request: lobby_service_pb2.DeclineOfferRequest, context: grpc.ServicerContext
    ) -> lobby_service_pb2.DeclineOfferResponse:
        """Record a declined offer, which has expired."""
        self.declined.put(request.offer_id)
        context.abort(grpc.StatusCode.NOT_FOUND, "no such offer")


class Table(play_pb2_grpc.PlayServiceServicer):
    """Matches that end while the bot decides on their first request."""

    def __init__(self) -> None:
        """Start without a match."""
        self.tickets: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.deciding = threading.Event()

    def Play(  # noqa: N802
        self, requests: Iterator[play_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[play_pb2.PlayResponse]:
        """Play a match of one request."""
        self.tickets.put(dict(context.invocation_metadata())["authorization"])
        yield play_pb2.PlayResponse(welcome=play_pb2.Welcome(match_id="m"))
        yield decision_request(1, 1)
        # A bot that has read the end of the match does not decide any more.
        self.deciding.wait(TIMEOUT_S)
        yield match_ended(2)


class SlotsTest(unittest.TestCase):
    """Slots that are busy although their matches have ended."""

    def test_busy_slots_are_reported_until_the_server_counts_them(self) -> None:
        slots = Slots(1)
        slots.take(offer("1"))
        slots.set_used_at_server(0)
        slots.check()
        self.assertEqual([slots.check()[0], slots.check()[0]], [1, 1])
        slots.set_used_at_server(0, 1)
        self.assertIsNone(slots.check()[0])
        slots.set_used_at_server(0, 0)
        self.assertEqual(slots.check()[0], 1)

    @mock.patch("bridgemaster._attendance_reporter.CHECK_INTERVAL_S", 0.05)
    def test_a_slot_is_free_only_when_decide_has_returned(self) -> None:
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        lobby, table = Lobby(), Table()
        server = grpc.server(futures.ThreadPoolExecutor(8))
        lobby_service_pb2_grpc.add_LobbyServiceServicer_to_server(lobby, server)
        play_pb2_grpc.add_PlayServiceServicer_to_server(table, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        self.addCleanup(server.stop, None)
        finish = threading.Event()

        def decide(request: bridgemaster.Request) -> bridgemaster.Choice:
            table.deciding.set()
            self.assertTrue(request.cancelled.wait(TIMEOUT_S))
            finish.wait(TIMEOUT_S)
            return 0

        options = Options(server=f"http://127.0.0.1:{port}", queue="cup", slots=1)
        attending = threading.Thread(
            target=bridgemaster.attend, args=(decide, options), daemon=True
        )
        attending.start()
        states = lobby.attended.get(timeout=TIMEOUT_S)
        # After a failure too, or the thread of the stream would keep the program from ending.
        self.addCleanup(states.put, None)
        states.put(lobby_service_pb2.Attendance(attendance_id="a", slots_used=1))
        states.put(offer("1"))
        self.assertEqual(table.tickets.get(timeout=TIMEOUT_S), "Bearer ticket-1")
        states.put(lobby_service_pb2.Attendance(attendance_id="a"))
        # A report that fails is repeated.
        self.assertEqual(lobby.busy.get(timeout=TIMEOUT_S), 1)
        self.assertEqual(lobby.busy.get(timeout=TIMEOUT_S), 1)
        # The server has offered the slot again before it received the report.
        states.put(lobby_service_pb2.Attendance(attendance_id="a", slots_used=1, busy_slots=1))
        states.put(offer("2"))
        for late in ("3", "4"):
            states.put(offer(late, time_left_ms=0))
        self.assertEqual(lobby.declined.get(timeout=TIMEOUT_S), "3")
        self.assertEqual(lobby.declined.get(timeout=TIMEOUT_S), "4")
        self.assertTrue(table.tickets.empty(), "the slot is not free")
        finish.set()
        self.assertEqual(table.tickets.get(timeout=TIMEOUT_S), "Bearer ticket-2")
        while lobby.busy.get(timeout=TIMEOUT_S) != 0:
            pass
        states.put(None)
        attending.join(TIMEOUT_S)
        self.assertFalse(attending.is_alive(), "the attendance has not ended")


class PauseTest(unittest.TestCase):
    """A bot that attends the queue of a test server."""

    def test_the_pause_switch_is_reported_on_every_stream(self) -> None:
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
        states = lobby.attended.get(timeout=TIMEOUT_S)
        states.put(False)
        switch.pause()
        self.assertTrue(switch.is_paused)
        self.assertEqual(lobby.updates.get(timeout=TIMEOUT_S), ("a", True))
        states.put(True)
        # The server restarts and has lost the state.
        states.put(grpc.StatusCode.UNAVAILABLE)
        states = lobby.attended.get(timeout=TIMEOUT_S)
        states.put(False)
        self.assertEqual(lobby.updates.get(timeout=TIMEOUT_S), ("a", True))
        states.put(True)
        switch.resume()
        self.assertEqual(lobby.updates.get(timeout=TIMEOUT_S), ("a", False))
        states.put(False)
        states.put(None)
        attending.join(TIMEOUT_S)
        self.assertFalse(attending.is_alive(), "the attendance has not ended")
