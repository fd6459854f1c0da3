"""One stream of a seat."""

import threading
from queue import SimpleQueue

import grpc

from bridgemaster.v1.play_pb2 import PlayRequest
from bridgemaster.v1.play_pb2_grpc import PlayServiceStub

from ._events import Events, FromServer
from ._options import Seating
from ._route import Place

CONNECT_TIMEOUT_MS = 5_000
"""Time for one attempt to reach a server: another one may be there."""
KEEP_ALIVE_MS = 10_000
"""Silence after which the transport checks that the server is still there, and the time that it has
to show so: a machine that vanished is noticed within the sum."""

_CHANNEL_OPTIONS = (
    # A server on the own machine or network is not reached through the proxy of the browser.
    ("grpc.enable_http_proxy", 0),
    # Without this a new channel would wait for the back-off of the one before it.
    ("grpc.use_local_subchannel_pool", 1),
    # The time for an attempt, in spite of its name.
    ("grpc.min_reconnect_backoff_ms", CONNECT_TIMEOUT_MS),
    ("grpc.keepalive_time_ms", KEEP_ALIVE_MS),
    ("grpc.keepalive_timeout_ms", KEEP_ALIVE_MS),
    ("grpc.http2.max_pings_without_data", 0),
)


def channel_to(place: Place) -> grpc.Channel:
    """Return a connection to a server, with TLS where there are credentials."""
    if place.credentials is None:
        return grpc.insecure_channel(place.target, options=_CHANNEL_OPTIONS)
    return grpc.secure_channel(place.target, place.credentials, options=_CHANNEL_OPTIONS)


class Stream:
    """A stream and the connection below it; what comes on it goes to the events."""

    def __init__(self, seating: Seating, place: Place, hello: PlayRequest, events: Events) -> None:
        """Open the stream at a server, with the Hello as its first message."""
        self._events = events
        # None ends our half.
        self._outbound: SimpleQueue[PlayRequest | None] = SimpleQueue()
        self._outbound.put(hello)
        self._channel = channel_to(place)
        self._call = PlayServiceStub(self._channel).Play(
            iter(self._outbound.get, None), metadata=seating.metadata
        )
        threading.Thread(target=self._read, name="bridgemaster-stream", daemon=True).start()

    def send(self, message: PlayRequest) -> None:
        """Send a message."""
        self._outbound.put(message)

    def end(self) -> None:
        """Close our half."""
        self._outbound.put(None)

    def close(self) -> None:
        """Close the connection."""
        self._call.cancel()
        # Whoever waits for something to send waits no more.
        self._outbound.put(None)
        self._channel.close()

    def _read(self) -> None:
        # Read at once whatever comes, also while the bot thinks.
        try:
            for response in self._call:
                self._events.put(FromServer(self, response))
            self._events.put(FromServer(self, None))
        except grpc.RpcError as failure:
            self._events.put(FromServer(self, failure))
