"""Attendance of the queue of a contest or a ladder."""

import itertools
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace

import grpc

from bridgemaster.v1.lobby_service_pb2 import AttendRequest, AttendResponse, Offer
from bridgemaster.v1.lobby_service_pb2_grpc import LobbyServiceStub

from ._attendance_reporter import AttendanceReporter
from ._backoff import Backoff
from ._bot import AnyBot, AsyncBot, Bot
from ._conversation import PROTOCOL_REVISION
from ._errors import (
    OptionsError,
    PlayError,
    RefusedError,
    ServerLostError,
    StreamLostError,
    error_from_rpc,
)
from ._options import Options, ResolvedAttendOptions, resolve_attend_options
from ._play import play_in_slot
from ._route import Route, Server
from ._slots import Slots
from ._stream import open_channel

MAX_RECENT_OFFERS = 1024
"""Number of recent offer ids stored for deduplication: far more than the slots of a bot."""
QUEUE_UNKNOWN = "QUEUE_UNKNOWN"
"""Refusal reason of a queue that does not exist, or is not open yet."""

log = logging.getLogger("bridgemaster")


def attend(bot: AnyBot | type[Bot] | type[AsyncBot], options: Options | None = None) -> None:
    """Attend a queue and play every match offered there, until the queue is closed or left.

    The queue is `Options.queue`, or that of the environment variable BRIDGEMASTER_QUEUE. `bot` is
    a function, or a class that is called without arguments for each match. With one slot it may
    also be a `Bot` or an `AsyncBot`, which plays one match after another; its `match_started` is
    called for each. With more slots, each match is played on its own thread.

    A slot is free once all methods of the bot have returned. A bot that still computes for a match
    that has ended keeps its slot busy, which is logged and reported to the server.

    An exception of the bot ends its match and is logged; other matches continue. Raises `PlayError`
    if the queue cannot be attended, or if its server is lost.
    """
    options = options or Options()
    _check_bot_type(bot)
    attendance = resolve_attend_options(options, bot)
    if attendance.slots > 1 and isinstance(bot, Bot | AsyncBot):
        raise OptionsError(
            f"one {type(bot).__name__} cannot play {attendance.slots} matches at once: pass the "
            "class itself, or use one slot"
        )
    slots = Slots(attendance.slots)

    def play_in_turn(offer: Offer) -> None:
        """Play a match, and then the matches whose offers wait for this slot."""
        waiting: Offer | None = offer
        while waiting is not None:
            _play(bot, _seat_options(options, attendance, waiting), waiting)
            waiting = slots.release()

    playing: list[threading.Thread] = []
    try:
        with AttendanceReporter(attendance.pause, slots, attendance.metadata) as reporter:
            for offer in _offers(attendance, reporter, slots):
                if not slots.take(offer):
                    continue
                playing = [thread for thread in playing if thread.is_alive()]
                thread = threading.Thread(
                    target=play_in_turn,
                    args=(offer,),
                    name=f"bridgemaster-match-{offer.match_id}",
                    daemon=True,
                )
                thread.start()
                playing.append(thread)
    finally:
        for thread in playing:
            thread.join()


def _check_bot_type(bot: AnyBot | type[Bot] | type[AsyncBot]) -> None:
    """Raise `TypeError` for a class that is not a bot."""
    if isinstance(bot, type) and not issubclass(bot, Bot | AsyncBot):
        raise TypeError(f"expected a bot, but {bot.__name__} is not a subclass of Bot or AsyncBot")


def _seat_options(options: Options, attendance: ResolvedAttendOptions, offer: Offer) -> Options:
    """Return the options for playing an offered seat."""
    return replace(
        options,
        server=",".join(server.address for server in attendance.servers),
        ticket=offer.ticket,
        name=attendance.name,
        version=attendance.version,
    )


def _play(bot: AnyBot | type[Bot] | type[AsyncBot], options: Options, offer: Offer) -> None:
    try:
        play_in_slot(bot() if isinstance(bot, type) else bot, options)
    except PlayError as error:
        log.error("match %s failed: %s", offer.match_id, error)
    except BaseException:  # Also SystemExit: a bot can only end its own match.
        log.exception("the bot failed in match %s", offer.match_id)


def _offers(
    attendance: ResolvedAttendOptions, reporter: AttendanceReporter, slots: Slots
) -> Iterator[Offer]:
    """Yield each offer once, across all streams, until the queue is closed or left."""
    recent: OrderedDict[str, None] = OrderedDict()
    backoff = Backoff(attendance.connect_for_s)
    route = Route(attendance.servers)
    attended = False
    client_instance_id = secrets.token_hex(16)
    for stream_number in itertools.count(1):
        progressed = False
        try:
            request = AttendRequest(
                queue_id=attendance.queue,
                bot_name=attendance.name,
                bot_version=attendance.version,
                slots=attendance.slots,
                protocol_revision=PROTOCOL_REVISION,
                client_instance_id=client_instance_id,
                stream_number=stream_number,
            )
            for message in _stream(attendance, route.server, request):
                attended = progressed = True
                if message.WhichOneof("message") == "attendance":
                    reporter.attendance_received(route.server, message.attendance)
                elif message.WhichOneof("message") == "offer_withdrawn":
                    slots.withdraw(message.offer_withdrawn.offer_id)
                offer = _offer_of(message)
                if offer is None or offer.offer_id in recent:
                    continue
                recent[offer.offer_id] = None
                if len(recent) > MAX_RECENT_OFFERS:
                    recent.popitem(last=False)
                yield offer
            return
        except StreamLostError as failure:
            lost = failure
        except RefusedError as refused:
            # A contest opens its queue shortly after it starts or resumes.
            if refused.reason != QUEUE_UNKNOWN:
                raise
            lost = StreamLostError(str(refused), refused.reason)
        reporter.stream_lost()
        route.check_tls(lost, had_stream=attended)
        if progressed:
            backoff.restart(attendance.reconnect_for_s, progressed=True)
        server = route.server.address
        route.advance()
        pause_s = backoff.next_pause_s()
        if pause_s is None:
            raise ServerLostError(
                f"lost the stream to {server} and could not resume it within "
                f"{attendance.reconnect_for_s:g} s: {lost}"
                if attended
                else f"queue {attendance.queue} at {server} could not be attended within "
                f"{attendance.connect_for_s:g} s: {lost}",
                lost.reason,
            )
        level = logging.WARNING if attended else logging.DEBUG
        log.log(level, "attendance lost: %s; retrying in %.2f s", lost, pause_s)
        time.sleep(pause_s)


def _stream(
    attendance: ResolvedAttendOptions, server: Server, request: AttendRequest
) -> Iterator[AttendResponse]:
    """Yield the messages of one stream; raise the error that ends it."""
    channel = open_channel(server)
    try:
        yield from LobbyServiceStub(channel).Attend(request, metadata=attendance.metadata)
    except grpc.RpcError as failure:
        raise error_from_rpc(failure) from failure
    finally:
        channel.close()


def _offer_of(message: AttendResponse) -> Offer | None:
    """Return the offer in a message, if any; log other messages."""
    kind = message.WhichOneof("message")
    if kind == "offer":
        return message.offer
    if kind == "attendance" and message.attendance.detail:
        log.info("attending: %s", message.attendance.detail)
    if kind == "offer_withdrawn":
        log.info("offer %s withdrawn", message.offer_withdrawn.offer_id)
    return None
