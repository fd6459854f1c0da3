"""Plays a match: connects, converses, comes back after a lost stream."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.parse import urlsplit

import grpc
from bridgemaster.v1 import play_pb2, play_pb2_grpc
from bridgemaster.v1.match_pb2 import MatchResult

from .backoff import Backoff
from .bot import Bot, Choice, Resign
from .errors import (
    BrokenSeedCommitmentError,
    PlayError,
    StreamLostError,
    error_of,
    reason_name,
)
from .seed_commitment import seed_commitment
from .tls import TlsFiles

SERVER_VARIABLE = "BRIDGEMASTER_SERVER"
TICKET_VARIABLE = "BRIDGEMASTER_TICKET"
KEY_VARIABLE = "BRIDGEMASTER_KEY"
DEFAULT_SERVER = "http://127.0.0.1:50051"

PROTOCOL_REVISION = 1
CONNECT_FOR_S = 10.0
"""How long the first connection is tried for: a bot may be started a little before its server."""
RECONNECT_FOR_S = 30.0
"""How long a lost stream is tried to be resumed for, each time."""
WELCOME_TIMEOUT_S = 10.0
"""Time for the Welcome, once a stream is asked for."""
CLOSING_TIMEOUT_S = 1.0
"""Time that the server has to end the stream after MatchEnded; the result is known by then."""
MISSED_PINGS = 3
"""A server that is silent for this many intervals of its Pings is gone."""
MAX_REFUSED_ANSWERS = 3
"""RefusedError answers to one request after which the bot is given up: it finds no legal one."""

_CHANNEL_OPTIONS = (
    # A server on the own machine or network is not reached through the proxy of the browser.
    ("grpc.enable_http_proxy", 0),
    # Without this a new channel would wait for the back-off of the one before it.
    ("grpc.use_local_subchannel_pool", 1),
)

log = logging.getLogger("bridgemaster_bot")


def play(
    bot: Bot,
    server: str | None = None,
    ticket: str | None = None,
    key: str | None = None,
    tls: TlsFiles | None = None,
) -> MatchResult:
    """Play one match to its end and return the result.

    `server` is an address such as `http://127.0.0.1:50051`, `127.0.0.1:50051`, or
    `https://host:50051`, for which there may be files in `tls`; `ticket` is the
    join ticket of a seat; `key` is an API key, for servers that ask for one. What is not given is
    taken from the environment variables BRIDGEMASTER_SERVER, BRIDGEMASTER_TICKET and
    BRIDGEMASTER_KEY.

    Raises `PlayError` when the match could not be played to its end. What the bot raises is
    raised here.
    """
    server = server or os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER
    ticket = ticket or os.environ.get(TICKET_VARIABLE)
    if not ticket:
        raise PlayError(
            f"no ticket: set {TICKET_VARIABLE}, or give --ticket; "
            "creating a match returns one for each seat"
        )
    ticket = ticket.strip()
    key = key or os.environ.get(KEY_VARIABLE) or None
    for secret, name in ((ticket, "ticket"), (key or "", "API key")):
        if not (secret.isascii() and secret.isprintable()):
            raise PlayError(f"the {name} has characters that none has: copy it again")
    return asyncio.run(Connection(bot, server, ticket, key, tls).play())


def target_of(server: str) -> str:
    """Turn the address of a server into what gRPC dials: host and port."""
    try:
        url = urlsplit(server if "://" in server else f"http://{server}")
        port = url.port
    except ValueError as error:
        raise PlayError(f"server {server!r} is no address: {error}") from error
    if (
        url.scheme not in ("http", "https")
        or not url.hostname
        or port is None
        or url.path not in ("", "/")
    ):
        raise PlayError(f"server {server!r} is not an address such as {DEFAULT_SERVER}")
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return f"{host}:{port}"


class Connection:
    """One seat of one match, over as many streams as it takes."""

    def __init__(
        self,
        bot: Bot,
        server: str,
        ticket: str,
        key: str | None = None,
        tls: TlsFiles | None = None,
    ) -> None:
        """Prepare to play; nothing is sent yet."""
        self._bot = bot
        self._server = server
        self._target = target_of(server)
        # None for a server that is reached without TLS.
        self._credentials = None
        if urlsplit(server).scheme == "https":
            self._credentials = (tls or TlsFiles()).credentials()
        self._metadata = (("authorization", f"Bearer {ticket}"),)
        if key is not None:
            self._metadata += (("x-bridgemaster-key", key.strip()),)
        # One thread, so that the bot's methods are called one after the other.
        self._bot_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bot")
        # Calls of the bot that have not returned, with the request that the call decides.
        self._bot_calls: dict[asyncio.Future, play_pb2.DecisionRequest | None] = {}
        # What is known of the match, over all streams.
        self._welcomed = False
        self._last_sequence = 0
        # The history that the server named last; empty before the first Welcome.
        self._history_id = ""
        # Empty until the start, and with a server that commits to nothing.
        self._seed_commitment = ""
        self._request: play_pb2.DecisionRequest | None = None
        self._answer: play_pb2.PlayRequest | None = None
        self._refused_answers = 0
        # What belongs to the stream in use.
        self._outbound: asyncio.Queue[play_pb2.PlayRequest | None] = asyncio.Queue()
        self._stream_was_welcomed = False
        self._stream_progressed = False
        self._answer_is_sent = False

    async def play(self) -> MatchResult:
        """Play to the end of the match. See `bridgemaster_bot.connection.play`."""
        backoff = Backoff(CONNECT_FOR_S)
        try:
            while True:
                try:
                    result = await self._play_on_one_stream()
                    break
                except StreamLostError as lost:
                    if self._stream_was_welcomed:
                        # A match that waits for other bots may say nothing for long.
                        backoff.restart(RECONNECT_FOR_S, progressed=self._stream_progressed)
                    pause_s = backoff.next_pause_s()
                    if pause_s is None:
                        what = "was lost" if self._welcomed else "could not be reached"
                        raise PlayError(f"{self._server} {what}: {lost}") from lost
                    level = logging.WARNING if self._welcomed else logging.DEBUG
                    log.log(level, "no stream: %s; trying again in %.2f s", lost, pause_s)
                    await asyncio.sleep(pause_s)
            self._call_bot(self._bot.match_ended, result)
            await asyncio.gather(*self._bot_calls)
            return result
        finally:
            self._bot_thread.shutdown(wait=False, cancel_futures=True)

    async def _play_on_one_stream(self) -> MatchResult:
        """Open a stream and converse on it until the match is over."""
        self._outbound = asyncio.Queue()
        self._stream_was_welcomed = False
        self._stream_progressed = False
        self._answer_is_sent = False
        self._outbound.put_nowait(self._hello())
        async with self._channel() as channel:
            call = play_pb2_grpc.PlayServiceStub(channel).Play(
                _until_none(self._outbound),
                metadata=self._metadata,
            )
            try:
                welcome = await self._read_welcome(call)
                self._welcomed = self._stream_was_welcomed = True
                self._history_id = welcome.history_id
                if not welcome.resumed:
                    self._begin_anew()
                # The stream before may have swallowed the answer. If not, this is ignored.
                self._send_answer_once()
                result = await self._converse(call, MISSED_PINGS * welcome.ping_interval_ms / 1000)
                # Leave in order: close our half, and let the server close its own.
                self._outbound.put_nowait(None)
                with suppress(asyncio.TimeoutError, grpc.aio.AioRpcError):
                    await asyncio.wait_for(call.read(), CLOSING_TIMEOUT_S)
                return result
            except grpc.aio.AioRpcError as failure:
                raise error_of(failure) from failure
            finally:
                call.cancel()
                # A call that has failed by itself leaves its reader of the queue behind.
                self._outbound.put_nowait(None)

    def _channel(self) -> grpc.aio.Channel:
        if self._credentials is None:
            return grpc.aio.insecure_channel(self._target, options=_CHANNEL_OPTIONS)
        return grpc.aio.secure_channel(self._target, self._credentials, options=_CHANNEL_OPTIONS)

    def _hello(self) -> play_pb2.PlayRequest:
        hello = play_pb2.Hello(
            protocol_revision=PROTOCOL_REVISION,
            bot_name=self._bot.name,
            bot_version=self._bot.version,
            games=self._bot.games,
        )
        if self._last_sequence > 0:
            hello.last_sequence = self._last_sequence
            hello.history_id = self._history_id
        return play_pb2.PlayRequest(hello=hello)

    def _begin_anew(self) -> None:
        """Forget what is known of the course of the match: for this server it did not happen.

        What the bot still thinks about is answered too late, whatever it is.
        """
        if self._last_sequence > 0:
            log.warning("the server has lost what was played last: beginning anew")
        self._last_sequence = 0
        self._request = None
        self._answer = None

    async def _read_welcome(self, call: grpc.aio.StreamStreamCall) -> play_pb2.Welcome:
        try:
            first = await asyncio.wait_for(call.read(), WELCOME_TIMEOUT_S)
        except asyncio.TimeoutError as error:
            raise StreamLostError("no Welcome came") from error
        if first is grpc.aio.EOF:
            raise StreamLostError("the server ended the stream without a Welcome")
        if first.WhichOneof("message") != "welcome":
            raise PlayError("the server broke the protocol: its first message is no Welcome")
        return first.welcome

    async def _converse(self, call: grpc.aio.StreamStreamCall, silence_s: float) -> MatchResult:
        """Carry messages between server and bot, in whatever order the two get ready."""
        reading = asyncio.ensure_future(call.read())
        try:
            while True:
                done, _ = await asyncio.wait(
                    {reading, *self._bot_calls},
                    timeout=silence_s or None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if not done:
                    raise StreamLostError(f"the server was silent for {silence_s} s")
                for bot_call in done - {reading}:
                    request = self._bot_calls.pop(bot_call)
                    choice = bot_call.result()
                    if request is not None:
                        self._take_choice(request, choice)
                if reading in done:
                    response = reading.result()
                    if response is grpc.aio.EOF:
                        raise StreamLostError(
                            "the server ended the stream before the match was over"
                        )
                    if (result := self._receive(response)) is not None:
                        return result
                    reading = asyncio.ensure_future(call.read())
        finally:
            reading.cancel()

    def _receive(self, response: play_pb2.PlayResponse) -> MatchResult | None:
        """Take a message of the server; return the result when it is the last one."""
        kind = response.WhichOneof("message")
        if kind == "ping":
            pong = play_pb2.Pong(nonce=response.ping.nonce)
            self._outbound.put_nowait(play_pb2.PlayRequest(pong=pong))
            return None
        if response.sequence <= self._last_sequence:
            # Sent again after a lost stream, or not counted. Only an open request matters twice.
            if kind == "decision_request":
                self._take_request(response.decision_request)
            return None
        self._last_sequence = response.sequence
        self._stream_progressed = True
        if kind == "match_started":
            self._take_commitment(response.match_started)
            self._call_bot(self._bot.match_started, response.match_started)
        elif kind == "decision_request":
            self._take_request(response.decision_request)
        elif kind == "decision_rejected":
            self._take_rejection(response.decision_rejected)
        elif kind == "match_ended":
            self._check_seed(response.match_ended)
            return response.match_ended.result
        # Skipped: SeatStatus, which these bots do not use, and kinds of a newer server (None).
        return None

    def _take_commitment(self, started: play_pb2.MatchStarted) -> None:
        if self._seed_commitment not in ("", started.seed_commitment):
            raise PlayError("the server broke the protocol: the seed commitment changed")
        self._seed_commitment = started.seed_commitment

    def _check_seed(self, ended: play_pb2.MatchEnded) -> None:
        told = self._seed_commitment
        if told and told != seed_commitment(ended.seed, ended.seed_salt):
            raise BrokenSeedCommitmentError(told, ended)

    def _take_request(self, request: play_pb2.DecisionRequest) -> None:
        if self._request is not None and request.request_id <= self._request.request_id:
            # The bot is not asked twice. It may still be thinking about it.
            if request.request_id == self._request.request_id:
                self._send_answer_once()
            return
        self._request = request
        self._answer = None
        self._refused_answers = 0
        self._ask_bot(request)

    def _take_rejection(self, rejected: play_pb2.DecisionRejected) -> None:
        explanation = f"{reason_name(rejected.reason)} at {rejected.field!r}: {rejected.detail}"
        log.warning("request %d: decision refused: %s", rejected.request_id, explanation)
        self._call_bot(self._bot.decision_rejected, rejected)
        request = self._request
        if request is None or not (
            rejected.open_request_id == rejected.request_id == request.request_id
        ):
            return
        self._answer = None
        self._answer_is_sent = False
        self._refused_answers += 1
        if self._refused_answers >= MAX_REFUSED_ANSWERS:
            raise PlayError(
                f"request {rejected.request_id} was answered {self._refused_answers} "
                f"times with a decision that was refused; at last: {explanation}"
            )
        self._ask_bot(request)

    def _take_choice(self, request: play_pb2.DecisionRequest, choice: Choice) -> None:
        """Send what the bot chose, if it is still wanted."""
        if request is not self._request:
            log.warning("request %d: the answer came too late", request.request_id)
            return
        answer = play_pb2.PlayRequest()
        if isinstance(choice, Resign):
            answer.resign.SetInParent()
        else:
            answer.decision.request_id = request.request_id
            if isinstance(choice, int):
                answer.decision.index = choice
            else:
                answer.decision.decision.CopyFrom(choice)
        self._answer = answer
        self._send_answer_once()

    def _send_answer_once(self) -> None:
        """Send the answer to the newest request, unless this stream has carried it."""
        if self._answer is not None and not self._answer_is_sent:
            self._answer_is_sent = True
            self._outbound.put_nowait(self._answer)

    def _ask_bot(self, request: play_pb2.DecisionRequest) -> None:
        self._answer_is_sent = False
        self._bot_calls[self._on_bot_thread(self._bot.decide, request)] = request

    def _call_bot(self, method: Callable[..., None], argument: object) -> None:
        self._bot_calls[self._on_bot_thread(method, argument)] = None

    def _on_bot_thread(self, method: Callable[..., object], argument: object) -> asyncio.Future:
        return asyncio.get_running_loop().run_in_executor(self._bot_thread, method, argument)


async def _until_none(
    queue: asyncio.Queue[play_pb2.PlayRequest | None],
) -> AsyncIterator[play_pb2.PlayRequest]:
    """Yield what is put into a queue, until None is."""
    while (request := await queue.get()) is not None:
        yield request
