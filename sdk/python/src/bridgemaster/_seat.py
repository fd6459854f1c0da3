"""Plays a seat: connects, exchanges messages, and resumes after a lost stream."""

import logging
import queue
import time

import grpc

from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import DecisionRejected, MatchStarted, PlayResponse, Welcome

from ._backoff import Backoff
from ._bot import Bot
from ._bot_thread import BotThread
from ._conversation import Conversation, Decide, End, Reaction, Send
from ._errors import ProtocolError, ServerLostError, StreamLostError, error_from_rpc
from ._events import Answered, BotDone, Events, FromServer, Stopped
from ._options import ResolvedOptions
from ._route import Route
from ._stream import Stream

WELCOME_TIMEOUT_S = 10.0
"""Time to wait for the Welcome on a new stream."""
CLOSING_TIMEOUT_S = 1.0
"""Time to wait for the end of the stream after MatchEnded."""
MISSED_PINGS = 3
"""The number of Ping intervals without a message after which a server is lost."""

log = logging.getLogger("bridgemaster")


class PlayStoppedError(Exception):
    """The caller stopped playing."""


class Seat:
    """One seat of one match, across all of its streams."""

    def __init__(self, bot: Bot, options: ResolvedOptions) -> None:
        """Prepare to play; nothing is sent yet."""
        self._bot = bot
        self._options = options
        self._route = Route(options.servers)
        self._conversation = Conversation(options)
        # The thread of `play` handles all events. Other threads only read messages and run the bot.
        self._events: Events = queue.SimpleQueue()
        # Answers given while no stream was ready to send them.
        self._deferred: list[Answered] = []
        self._stream_was_welcomed = False

    def stop(self) -> None:
        """Make `play` raise `PlayStoppedError`. Can be called from any thread."""
        self._events.put(Stopped())

    def play(self) -> MatchResult:
        """Play to the end of the match, on the calling thread."""
        backoff = Backoff(self._options.connect_for_s)
        self._bot_thread = BotThread(self._bot, self._events)
        try:
            while True:
                try:
                    result = self._play_on_one_stream()
                    break
                except StreamLostError as lost:
                    if self._stream_was_welcomed:
                        # A match that waits for other bots can be silent for a long time.
                        progressed = self._conversation.progressed
                        backoff.restart(self._options.reconnect_for_s, progressed=progressed)
                    self._pause(backoff, lost)
            self._bot_thread.call(self._bot.match_ended, result)
            self._bot_thread.finish()
            self._wait_for_bot()
            return result
        finally:
            self._conversation.close()
            self._bot_thread.stop()

    def join(self) -> None:
        """Wait until the bot has returned from its last call, after the end of `play`."""
        self._bot_thread.join()

    def _wait_for_bot(self) -> None:
        """Wait until the bot has finished all calls; raise its exception, if any."""
        while True:
            event = self._events.get()
            if isinstance(event, Stopped):
                raise PlayStoppedError
            if isinstance(event, BotDone):
                if event.raised is not None:
                    raise event.raised
                return

    def _pause(self, backoff: Backoff, lost: StreamLostError) -> None:
        """Wait before the next stream, storing answers that the bot gives in the meantime."""
        welcomed = self._conversation.was_welcomed
        self._route.check_tls(lost, had_stream=welcomed)
        server = self._route.server.address
        self._route.advance()
        pause_s = backoff.next_pause_s()
        if pause_s is None:
            raise ServerLostError(
                f"lost the stream to {server} and could not resume it within "
                f"{self._options.reconnect_for_s:g} s: {lost}"
                if welcomed
                else f"no server answered at {server} within "
                f"{self._options.connect_for_s:g} s: {lost}",
                lost.reason,
            ) from lost
        level = logging.WARNING if welcomed else logging.DEBUG
        log.log(level, "stream lost: %s; retrying in %.2f s", lost, pause_s)
        until_s = time.monotonic() + pause_s
        while (event := self._next(None, until_s)) is not None:
            self._defer(event)

    def _play_on_one_stream(self) -> MatchResult:
        """Open a stream and use it until the match has ended."""
        self._stream_was_welcomed = False
        hello = self._conversation.hello()
        stream = Stream(self._options, self._route.server, hello, self._events)
        try:
            welcome = self._read_welcome(stream)
            reactions = self._conversation.welcome(welcome)
            self._stream_was_welcomed = True
            result = self._react(stream, reactions)
            silence_s = MISSED_PINGS * welcome.ping_interval_ms / 1000
            if result is None:
                result = self._exchange(stream, silence_s or None)
            self._leave(stream)
            return result
        finally:
            stream.close()

    def _read_welcome(self, stream: Stream) -> Welcome:
        options, welcomed = self._options, self._conversation.was_welcomed
        total_s = options.reconnect_for_s if welcomed else options.connect_for_s
        until_s = time.monotonic() + self._route.answer_timeout_s(WELCOME_TIMEOUT_S, total_s)
        while isinstance(event := self._next(stream, until_s), Answered):
            self._defer(event)
        if event is None:
            raise StreamLostError("the server did not send a Welcome in time")
        if event.WhichOneof("message") != "welcome":
            raise ProtocolError("the server broke the protocol: its first message is not a Welcome")
        return event.welcome

    def _exchange(self, stream: Stream, silence_s: float | None) -> MatchResult:
        """Pass messages between server and bot until the match has ended."""
        silent_until_s: float | None = None
        deferred, self._deferred = self._deferred, []
        for answered in deferred:
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
        """Carry out reactions; return the result if the match has ended."""
        for reaction in reactions:
            if isinstance(reaction, Send):
                stream.send(reaction.message)
            elif isinstance(reaction, Decide):
                self._bot_thread.decide(reaction.request)
            elif isinstance(reaction, End):
                return reaction.result
            elif isinstance(reaction.message, MatchStarted):
                self._bot_thread.call(self._bot.match_started, reaction.message)
            elif isinstance(reaction.message, DecisionRejected):
                self._bot_thread.call(self._bot.decision_rejected, reaction.message)
            else:
                self._bot_thread.call(self._bot.seat_changed, reaction.message)
        return None

    def _leave(self, stream: Stream) -> None:
        """Close the stream in order: first the client's half, then the server's."""
        stream.half_close()
        until_s = time.monotonic() + CLOSING_TIMEOUT_S
        try:
            while self._next(stream, until_s) is not None:
                pass
        except (StreamLostError, ProtocolError) as end:
            log.debug("the stream has ended: %s", end)

    def _defer(self, event: PlayResponse | Answered) -> None:
        if isinstance(event, Answered):
            self._deferred.append(event)

    def _next(self, stream: Stream | None, until_s: float | None) -> PlayResponse | Answered | None:
        """Wait for the next message of a stream or answer of the bot; None when time is up.

        Raises the error that ended the stream, the bot's exception, or `PlayStoppedError`.
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
            # Events of earlier streams are ignored.
            if isinstance(event, FromServer) and event.stream is stream:
                if event.payload is None:
                    raise StreamLostError("the server ended the stream before the match was over")
                if isinstance(event.payload, grpc.RpcError):
                    raise error_from_rpc(event.payload) from event.payload
                return event.payload
