"""Plays a seat: connects, converses, comes back after a lost stream."""

import logging
import queue
import time

import grpc

from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import DecisionRejected, MatchStarted, PlayResponse, Welcome

from ._backoff import Backoff
from ._bot import Bot
from ._bot_thread import BotThread
from ._conversation import Ask, Conversation, End, Reaction, Send
from ._errors import ProtocolError, ServerLostError, StreamLostError, error_of
from ._events import Answered, BotDone, Events, FromServer, Stopped
from ._options import Seating
from ._route import Route
from ._stream import Stream

WELCOME_TIMEOUT_S = 10.0
"""Time for the Welcome, once a stream is asked for."""
CLOSING_TIMEOUT_S = 1.0
"""Time that the server has to end the stream after MatchEnded; the result is known by then."""
MISSED_PINGS = 3
"""A server that is silent for this many intervals of its Pings is gone."""

log = logging.getLogger("bridgemaster")


class PlayStoppedError(Exception):
    """The caller stopped it."""


class Seat:
    """One seat of one match, over as many streams as it takes."""

    def __init__(self, bot: Bot, seating: Seating) -> None:
        """Prepare to play; nothing is sent yet."""
        self._bot = bot
        self._seating = seating
        self._route = Route(seating.places)
        self._conversation = Conversation(seating)
        # Everything that happens, so that one thread does all but reading and thinking.
        self._events: Events = queue.SimpleQueue()
        # Answers that came while no stream was welcomed.
        self._held: list[Answered] = []
        self._stream_was_welcomed = False

    def stop(self) -> None:
        """Let `play` end with `PlayStoppedError`. May be called by any thread."""
        self._events.put(Stopped())

    def play(self) -> MatchResult:
        """Play to the end of the match, on the calling thread."""
        backoff = Backoff(self._seating.connect_for_s)
        self._bot_thread = BotThread(self._bot, self._events)
        try:
            while True:
                try:
                    result = self._play_on_one_stream()
                    break
                except StreamLostError as lost:
                    if self._stream_was_welcomed:
                        # A match that waits for other bots may say nothing for long.
                        progressed = self._conversation.progressed
                        backoff.restart(self._seating.reconnect_for_s, progressed=progressed)
                    self._pause(backoff, lost)
            self._bot_thread.tell(self._bot.match_ended, result)
            self._bot_thread.finish()
            self._wait_for_bot()
            return result
        finally:
            self._bot_thread.stop()

    def _wait_for_bot(self) -> None:
        """Wait until the bot has done all that it was given; raise what it raised."""
        while True:
            event = self._events.get()
            if isinstance(event, Stopped):
                raise PlayStoppedError
            if isinstance(event, BotDone):
                if event.raised is not None:
                    raise event.raised
                return

    def _pause(self, backoff: Backoff, lost: StreamLostError) -> None:
        """Wait before the next stream; what the bot answers meanwhile is kept."""
        server = self._route.place.server
        at_once = self._route.go_on(lost.moved_to)
        pause_s = backoff.next_pause_s()
        welcomed = self._conversation.was_welcomed
        if pause_s is None:
            raise ServerLostError(
                f"{server} was lost and did not come back within "
                f"{self._seating.reconnect_for_s:g} s: {lost}"
                if welcomed
                else f"{server} could not be reached within "
                f"{self._seating.connect_for_s:g} s: {lost}",
                lost.reason,
            ) from lost
        if at_once:
            log.debug("the match is at %s", self._route.place.server)
            return
        level = logging.WARNING if welcomed else logging.DEBUG
        log.log(level, "no stream: %s; trying again in %.2f s", lost, pause_s)
        until_s = time.monotonic() + pause_s
        while (event := self._next(None, until_s)) is not None:
            self._hold(event)

    def _play_on_one_stream(self) -> MatchResult:
        """Open a stream and converse on it until the match is over."""
        self._stream_was_welcomed = False
        stream = Stream(self._seating, self._route.place, self._conversation.hello(), self._events)
        try:
            welcome = self._read_welcome(stream)
            reactions = self._conversation.welcome(welcome)
            self._stream_was_welcomed = True
            self._route.arrived()
            result = self._react(stream, reactions)
            silence_s = MISSED_PINGS * welcome.ping_interval_ms / 1000
            if result is None:
                result = self._converse(stream, silence_s or None)
            self._leave(stream)
            return result
        finally:
            stream.close()

    def _read_welcome(self, stream: Stream) -> Welcome:
        seating, welcomed = self._seating, self._conversation.was_welcomed
        span_s = seating.reconnect_for_s if welcomed else seating.connect_for_s
        until_s = time.monotonic() + self._route.patience_s(WELCOME_TIMEOUT_S, span_s)
        while isinstance(event := self._next(stream, until_s), Answered):
            self._hold(event)
        if event is None:
            raise StreamLostError("no Welcome came")
        if event.WhichOneof("message") != "welcome":
            raise ProtocolError("the server broke the protocol: its first message is no Welcome")
        return event.welcome

    def _converse(self, stream: Stream, silence_s: float | None) -> MatchResult:
        """Carry messages between server and bot, in whatever order the two get ready."""
        silent_until_s: float | None = None
        held, self._held = self._held, []
        for answered in held:
            self._react(stream, self._conversation.answer(answered.request, answered.choice))
        while True:
            if silent_until_s is None and silence_s is not None:
                silent_until_s = time.monotonic() + silence_s
            event = self._next(stream, silent_until_s)
            if event is None:
                raise StreamLostError(f"the server was silent for {silence_s} s")
            if isinstance(event, Answered):
                reactions = self._conversation.answer(event.request, event.choice)
            else:
                silent_until_s = None
                reactions = self._conversation.receive(event)
            if (result := self._react(stream, reactions)) is not None:
                return result

    def _react(self, stream: Stream, reactions: list[Reaction]) -> MatchResult | None:
        """Do what a message calls for; return the result when it is the last one."""
        for reaction in reactions:
            if isinstance(reaction, Send):
                stream.send(reaction.message)
            elif isinstance(reaction, Ask):
                self._bot_thread.decide(reaction.request)
            elif isinstance(reaction, End):
                return reaction.result
            elif isinstance(reaction.what, MatchStarted):
                self._bot_thread.tell(self._bot.match_started, reaction.what)
            elif isinstance(reaction.what, DecisionRejected):
                self._bot_thread.tell(self._bot.decision_rejected, reaction.what)
            else:
                self._bot_thread.tell(self._bot.seat_changed, reaction.what)
        return None

    def _leave(self, stream: Stream) -> None:
        """Leave in order: close our half, and let the server close its own."""
        stream.end()
        until_s = time.monotonic() + CLOSING_TIMEOUT_S
        try:
            while self._next(stream, until_s) is not None:
                pass
        except (StreamLostError, ProtocolError) as end:
            log.debug("the stream is over: %s", end)

    def _hold(self, event: PlayResponse | Answered) -> None:
        if isinstance(event, Answered):
            self._held.append(event)

    def _next(self, stream: Stream | None, until_s: float | None) -> PlayResponse | Answered | None:
        """Wait for the next message on a stream or answer of the bot; None when time is up.

        Raises what ends the stream, what the bot raised, or `PlayStoppedError`.
        """
        while True:
            left_s = None if until_s is None else max(0.0, until_s - time.monotonic())
            try:
                event = self._events.get(timeout=left_s)
            except queue.Empty:
                return None
            if isinstance(event, Answered):
                return event
            if isinstance(event, Stopped):
                raise PlayStoppedError
            if isinstance(event, BotDone):
                raise event.raised or RuntimeError("the bot's thread ended")
            # What a stream before had still to say does not count any more.
            if isinstance(event, FromServer) and event.stream is stream:
                if event.what is None:
                    raise StreamLostError("the server ended the stream before the match was over")
                if isinstance(event.what, grpc.RpcError):
                    raise error_of(event.what) from event.what
                return event.what
