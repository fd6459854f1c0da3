"""Attends a queue of a contest or a ladder, and plays the matches that are offered there."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace

import grpc

from bridgemaster.v1.lobby_service_pb2 import AttendRequest, AttendResponse, Offer
from bridgemaster.v1.lobby_service_pb2_grpc import LobbyServiceStub

from ._backoff import Backoff
from ._bot import AnyBot, AsyncBot, Bot
from ._conversation import PROTOCOL_REVISION
from ._errors import (
    OptionsError,
    PlayError,
    RefusedError,
    ServerLostError,
    StreamLostError,
    error_of,
)
from ._options import Options, Queueing, queueing
from ._pause_teller import Teller
from ._play import play
from ._route import Place, Route
from ._stream import channel_to

REMEMBERED_OFFERS = 1024
"""Offers that are known when they come again: those of all slots, many times over."""
QUEUE_UNKNOWN = "QUEUE_UNKNOWN"
"""The refusal while the queue is not opened yet."""

log = logging.getLogger("bridgemaster")


def attend(bot: AnyBot | type[Bot] | type[AsyncBot], options: Options | None = None) -> None:
    """Attend a queue, and play each match that is offered there, until the queue is left or closed.

    The queue is `Options.queue`, or that of the environment variable BRIDGEMASTER_QUEUE. `bot` is
    a function, or a class, which is called without arguments for each match. With one slot it may
    also be a `Bot` or an `AsyncBot`, which plays one match after the other; its `match_started`
    tells it of each. With more slots, matches are played on threads of their own at the same time.

    What a bot raises ends its match and is logged; the others go on. Raises `PlayError` when the
    queue cannot be attended, or its server is lost.
    """
    options = options or Options()
    described = _described(bot)
    attendance = queueing(options, described)
    if attendance.slots > 1 and isinstance(bot, Bot | AsyncBot):
        raise OptionsError(
            f"one {type(bot).__name__} cannot play {attendance.slots} matches at once: give the "
            "class itself, or take one slot"
        )
    playing: list[threading.Thread] = []
    try:
        with Teller(attendance.pause, attendance.metadata) as teller:
            for offer in _offers(attendance, teller):
                playing = [thread for thread in playing if thread.is_alive()]
                thread = threading.Thread(
                    target=_play,
                    args=(bot, _for_seat(options, attendance, offer), offer),
                    name=f"bridgemaster-match-{offer.match_id}",
                    daemon=True,
                )
                thread.start()
                playing.append(thread)
    finally:
        for thread in playing:
            thread.join()


def _described(bot: AnyBot | type[Bot] | type[AsyncBot]) -> object:
    """Return what tells of a bot's name and version; a class tells of them as its instances do."""
    if isinstance(bot, type) and not issubclass(bot, Bot | AsyncBot):
        raise TypeError(f"a bot is needed, and {bot.__name__} is a class of something else")
    return bot


def _for_seat(options: Options, attendance: Queueing, offer: Offer) -> Options:
    """Return options for the seat of an offer."""
    server = ",".join(place.server for place in attendance.places)
    if offer.address:
        scheme, _, _ = attendance.places[0].server.rpartition("://")
        server = f"{scheme or 'http'}://{offer.address}"
    return replace(
        options,
        server=server,
        ticket=offer.ticket,
        name=attendance.name,
        version=attendance.version,
    )


def _play(bot: AnyBot | type[Bot] | type[AsyncBot], options: Options, offer: Offer) -> None:
    try:
        play(bot() if isinstance(bot, type) else bot, options)
    except PlayError as error:
        log.error("match %s was not played to its end: %s", offer.match_id, error)
    except BaseException:  # SystemExit of a bot too: it ends one match, and not the others.
        log.exception("the bot failed in match %s", offer.match_id)


def _offers(attendance: Queueing, teller: Teller) -> Iterator[Offer]:
    """Yield each offer once, over as many streams as it takes, until the queue is left."""
    known: OrderedDict[str, None] = OrderedDict()
    backoff = Backoff(attendance.connect_for_s)
    route = Route(attendance.places)
    attended = False
    while True:
        progressed = False
        try:
            for message in _stream(attendance, route.place):
                attended = progressed = True
                route.arrived()
                if message.WhichOneof("message") == "attendance":
                    teller.hear(route.place, message.attendance)
                offer = _offer_of(message)
                if offer is None or offer.offer_id in known:
                    continue
                known[offer.offer_id] = None
                if len(known) > REMEMBERED_OFFERS:
                    known.popitem(last=False)
                yield offer
            return
        except StreamLostError as failure:
            lost = failure
        except RefusedError as refused:
            # A contest that begins or goes on opens it in a moment.
            if refused.reason != QUEUE_UNKNOWN:
                raise
            lost = StreamLostError(str(refused), refused.reason)
        teller.lose()
        if progressed:
            backoff.restart(attendance.reconnect_for_s, progressed=True)
        server = route.place.server
        at_once = route.go_on(lost.moved_to)
        pause_s = backoff.next_pause_s()
        if pause_s is None:
            raise ServerLostError(
                f"{server} was lost and did not come back within "
                f"{attendance.reconnect_for_s:g} s: {lost}"
                if attended
                else f"queue {attendance.queue} of {server} could not be attended within "
                f"{attendance.connect_for_s:g} s: {lost}",
                lost.reason,
            )
        if at_once:
            continue
        level = logging.WARNING if attended else logging.DEBUG
        log.log(level, "no attendance: %s; trying again in %.2f s", lost, pause_s)
        time.sleep(pause_s)


def _stream(attendance: Queueing, place: Place) -> Iterator[AttendResponse]:
    """Yield what comes on one stream at a server; raise what ends it."""
    channel = channel_to(place)
    try:
        request = AttendRequest(
            queue_id=attendance.queue,
            bot_name=attendance.name,
            bot_version=attendance.version,
            slots=attendance.slots,
            protocol_revision=PROTOCOL_REVISION,
        )
        yield from LobbyServiceStub(channel).Attend(request, metadata=attendance.metadata)
    except grpc.RpcError as failure:
        raise error_of(failure) from failure
    finally:
        channel.close()


def _offer_of(message: AttendResponse) -> Offer | None:
    """Return the offer of a message; log what else it tells."""
    kind = message.WhichOneof("message")
    if kind == "offer":
        return message.offer
    if kind == "attendance" and message.attendance.detail:
        log.info("attending: %s", message.attendance.detail)
    if kind == "offer_withdrawn":
        log.info("offer %s holds no more", message.offer_withdrawn.offer_id)
    return None
