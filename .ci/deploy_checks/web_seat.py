"""A player over gRPC-Web, as a browser plays through the page's port."""

import http.client
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

from bridgemaster.v1.play_pb2 import Decision, Hello
from bridgemaster.v1.seat_service_pb2 import (
    DecideRequest,
    DecideResponse,
    WatchSeatRequest,
    WatchSeatResponse,
)
from google.protobuf.message import Message
from language_tests.processes import FailedError

from .sources import must

TRAILERS = 0x80
"""The flag of a frame that contains the trailers of a call."""
TIMEOUT_S = 60.0
"""Timeout of a connection, in seconds."""


@dataclass(frozen=True)
class WebSeat:
    """A seat, and the connection to play it."""

    port: int
    tls: ssl.SSLContext | None
    host: str
    """The public name of the page."""
    key: str
    ticket: str
    root: str = ""
    """The path below which the page is served."""

    def play(self) -> int:
        """Play the match with the first legal decisions, and return their number."""
        hello = Hello(protocol_revision=1, bot_name="web")
        decisions = 0
        for frame in self.call("WatchSeat", WatchSeatRequest(hello=hello)):
            message = WatchSeatResponse.FromString(frame).message
            kind = message.WhichOneof("message")
            if kind == "match_ended":
                return decisions
            if kind == "decision_request":
                decisions += 1
                choice = Decision(request_id=message.decision_request.request_id, index=0)
                [answer] = self.call("Decide", DecideRequest(decision=choice))
                decided = DecideResponse.FromString(answer)
                must(not decided.HasField("rejected"), f"a decision was refused: {decided}")
        raise FailedError("the stream ended before the match")

    def call(self, method: str, request: Message) -> Iterator[bytes]:
        """Call a method of the seat's service, and yield the messages of the answer."""
        connection = (
            http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=TIMEOUT_S)
            if self.tls
            else http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        )
        body = request.SerializeToString()
        headers = {
            "Host": self.host,
            "Origin": f"https://{self.host}",
            "Content-Type": "application/grpc-web+proto",
            "Authorization": f"Bearer {self.ticket}",
            "X-Bridgemaster-Key": self.key,
        }
        framed = b"\0" + len(body).to_bytes(4, "big") + body
        path = f"{self.root}/bridgemaster.v1.SeatService/{method}"
        connection.request("POST", path, framed, headers)
        response = connection.getresponse()
        must(response.status == http.HTTPStatus.OK, f"{method}: HTTP {response.status}")
        try:
            while head := response.read(5):
                frame = response.read(int.from_bytes(head[1:], "big"))
                if head[0] & TRAILERS:
                    must(b"grpc-status:0" in frame.replace(b" ", b""), f"{method}: {frame!r}")
                    return
                yield frame
            status = response.headers.get("grpc-status")
            must(status == "0", f"{method}: status {status}: {response.headers}")
        finally:
            connection.close()
