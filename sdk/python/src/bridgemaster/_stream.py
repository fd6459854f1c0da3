"""One stream of a seat."""

import threading
from queue import SimpleQueue

import grpc

from bridgemaster.v1.play_pb2 import PlayRequest
from bridgemaster.v1.play_pb2_grpc import PlayServiceStub

from ._events import Events, FromServer
from ._options import ResolvedOptions
from ._route import Server

CONNECT_TIMEOUT_MS = 5_000
"""Time limit of one connection attempt."""
KEEP_ALIVE_MS = 10_000
"""Interval of keepalive pings, and the time to wait for their answer: a vanished machine is noticed
within the sum of both."""

_CHANNEL_OPTIONS = (
    # Without this, a new channel would inherit the backoff of the previous one.
    ("grpc.use_local_subchannel_pool", 1),
    # Despite its name, also the time limit of an attempt.
    ("grpc.min_reconnect_backoff_ms", CONNECT_TIMEOUT_MS),
    ("grpc.keepalive_time_ms", KEEP_ALIVE_MS),
    ("grpc.keepalive_timeout_ms", KEEP_ALIVE_MS),
    ("grpc.http2.max_pings_without_data", 0),
)


def open_channel(server: Server) -> grpc.Channel:
    """Open a channel to a server, with TLS if it has credentials."""
    # Bot servers usually run on the same machine or network, which the proxy of the environment
    # cannot reach.
    proxy = ("grpc.http_proxy", server.proxy) if server.proxy else ("grpc.enable_http_proxy", 0)
    options = (*_CHANNEL_OPTIONS, proxy)
    if server.credentials is None:
        return grpc.insecure_channel(server.target, options=options)
    return grpc.secure_channel(server.target, server.credentials, options=options)


class Stream:
    """A stream with its own connection; received messages are added to the events."""

    def __init__(
        self, options: ResolvedOptions, server: Server, hello: PlayRequest, events: Events
    ) -> None:
        """Open the stream and send the Hello."""
        self._events = events
        # None closes the client's half of the stream.
        self._outbound: SimpleQueue[PlayRequest | None] = SimpleQueue()
        self._outbound.put(hello)
        self._channel = open_channel(server)
        self._call = PlayServiceStub(self._channel).Play(
            iter(self._outbound.get, None), metadata=options.metadata
        )
        threading.Thread(target=self._read, name="bridgemaster-stream", daemon=True).start()

    def send(self, message: PlayRequest) -> None:
        """Send a message."""
        self._outbound.put(message)

    def half_close(self) -> None:
        """Close the client's half of the stream."""
        self._outbound.put(None)

    def close(self) -> None:
        """Close the connection."""
        self._call.cancel()
        # Wake the thread that waits for a message to send.
        self._outbound.put(None)
        self._channel.close()

    def _read(self) -> None:
        # Messages are read at once, also while the bot thinks.
        try:
            for response in self._call:
                self._events.put(FromServer(self, response))
            self._events.put(FromServer(self, None))
        except grpc.RpcError as failure:
            self._events.put(FromServer(self, failure))
