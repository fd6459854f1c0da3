"""A server on the loopback interface whose messages are controlled by the test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import TypeVar

import grpc
from google.protobuf.any_pb2 import Any
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from bridgemaster.v1 import play_pb2, play_pb2_grpc
from bridgemaster.v1.match_pb2 import MatchResult

MATCH_ID = "match-7"
SEAT = 1
SEED = "london-1209"
SALT = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
COMMITMENT = "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f"
"""The commitment to SEED with SALT: the example match of the book."""
HISTORY_ID = "00112233445566778899aabbccddeeff"
TIMEOUT_S = 10.0
"""Time limit of every wait of a test; far more than needed."""

T = TypeVar("T")


async def within_timeout(awaited: Awaitable[T]) -> T:
    """Wait with the time limit of the tests."""
    return await asyncio.wait_for(awaited, TIMEOUT_S)


class Stream:
    """The server side of a bot's stream."""

    def __init__(self, context: grpc.aio.ServicerContext) -> None:
        """Start with nothing sent or received."""
        self.metadata = dict(context.invocation_metadata())
        self.received: asyncio.Queue[play_pb2.PlayRequest | None] = asyncio.Queue()
        self.to_send: asyncio.Queue[play_pb2.PlayResponse | Status | None] = asyncio.Queue()

    async def receive(self) -> play_pb2.PlayRequest | None:
        """Return the next message of the bot; None once it has closed its half."""
        return await within_timeout(self.received.get())

    def send(self, response: play_pb2.PlayResponse) -> None:
        """Queue a message."""
        self.to_send.put_nowait(response)

    def end(self) -> None:
        """End the stream with the status OK, after the queued messages."""
        self.to_send.put_nowait(None)

    def fail(
        self,
        code: grpc.StatusCode,
        reason: str | None = None,
        message: str = "why",
        **metadata: str,
    ) -> None:
        """End the stream with an error status, after the queued messages."""
        status = Status(code=code.value[0], message=message)
        if reason is not None:
            detail = Any()
            detail.Pack(ErrorInfo(reason=reason, domain="bridgemaster", metadata=metadata))
            status.details.append(detail)
        self.to_send.put_nowait(status)

    async def welcome(
        self,
        ping_interval_ms: int = 60_000,
        *,
        history_id: str = HISTORY_ID,
        resumed: bool = True,
    ) -> play_pb2.Hello:
        """Read the Hello, which must come first, and answer it.

        A bot without a last sequence number is never resumed.
        """
        first = await self.receive()
        assert first is not None and first.WhichOneof("message") == "hello", first
        welcome = play_pb2.Welcome(
            protocol_revision=1,
            match_id=MATCH_ID,
            seat=SEAT,
            ping_interval_ms=ping_interval_ms,
            history_id=history_id,
            resumed=resumed and first.hello.HasField("last_sequence"),
        )
        self.send(play_pb2.PlayResponse(welcome=welcome))
        return first.hello


class ScriptedServer(play_pb2_grpc.PlayServiceServicer):
    """Passes each stream of a bot to the test."""

    def __init__(self) -> None:
        """Create the server; `start` binds a port."""
        self._server = grpc.aio.server()
        self._streams: asyncio.Queue[Stream] = asyncio.Queue()
        self.stream_count = 0

    async def start(self) -> str:
        """Listen on a free port of the loopback interface; return the address."""
        play_pb2_grpc.add_PlayServiceServicer_to_server(self, self._server)
        port = self._server.add_insecure_port("127.0.0.1:0")
        await self._server.start()
        return f"http://127.0.0.1:{port}"

    async def stop(self) -> None:
        """Stop at once, without waiting for open streams."""
        await self._server.stop(grace=None)

    async def stream(self) -> Stream:
        """Return the next stream that a bot opens."""
        return await within_timeout(self._streams.get())

    async def Play(  # noqa: N802
        self,
        request_iterator: AsyncIterator[play_pb2.PlayRequest],
        context: grpc.aio.ServicerContext,
    ) -> None:
        """Serve a stream with the messages that the test queues."""
        stream = Stream(context)
        self.stream_count += 1
        self._streams.put_nowait(stream)

        async def receive_all() -> None:
            async for request in request_iterator:
                stream.received.put_nowait(request)
            stream.received.put_nowait(None)

        receiving = asyncio.ensure_future(receive_all())
        try:
            while (response := await stream.to_send.get()) is not None:
                if isinstance(response, Status):
                    await self._refuse(context, response)
                await context.write(response)
        finally:
            receiving.cancel()

    async def _refuse(self, context: grpc.aio.ServicerContext, status: Status) -> None:
        codes = {code.value[0]: code for code in grpc.StatusCode}
        details = (("grpc-status-details-bin", status.SerializeToString()),)
        await context.abort(codes[status.code], status.message, trailing_metadata=details)


def match_started(sequence: int, seed_commitment: str = "") -> play_pb2.PlayResponse:
    """Create a MatchStarted."""
    started = play_pb2.MatchStarted(match_id=MATCH_ID, seat=SEAT, seed_commitment=seed_commitment)
    return play_pb2.PlayResponse(sequence=sequence, match_started=started)


def decision_request(sequence: int, request_id: int) -> play_pb2.PlayResponse:
    """Create a DecisionRequest."""
    request = play_pb2.DecisionRequest(request_id=request_id)
    return play_pb2.PlayResponse(sequence=sequence, decision_request=request)


def decision_rejected(sequence: int, request_id: int) -> play_pb2.PlayResponse:
    """Create a DecisionRejected for a request that stays open."""
    rejected = play_pb2.DecisionRejected(
        request_id=request_id,
        open_request_id=request_id,
        reason="REFUSAL_REASON_INDEX_OUT_OF_RANGE",
        field="index",
        detail="0 to 3",
    )
    return play_pb2.PlayResponse(sequence=sequence, decision_rejected=rejected)


def match_ended(sequence: int, seed: str = "", seed_salt: str = "") -> play_pb2.PlayResponse:
    """Create a MatchEnded."""
    result = MatchResult(match_id=MATCH_ID, decisions=99)
    ended = play_pb2.MatchEnded(result=result, seed=seed, seed_salt=seed_salt)
    return play_pb2.PlayResponse(sequence=sequence, match_ended=ended)


def ping(nonce: int) -> play_pb2.PlayResponse:
    """Create a Ping."""
    return play_pb2.PlayResponse(ping=play_pb2.Ping(nonce=nonce))
