"""A bot of the Python package that logs every message of its streams, as bytes.

The kind "forgetful" sometimes reconnects with an older sequence number than the last one it
received, or with none, so that a server repeats messages that another server has sent.
"""

import argparse
import random
import sys
import zlib
from datetime import datetime, timezone
from pathlib import Path

import bridgemaster
from bridgemaster import _seat
from bridgemaster._events import Events, FromServer
from bridgemaster._options import ResolvedOptions
from bridgemaster._route import Server
from bridgemaster._stream import Stream
from bridgemaster.v1.play_pb2 import PlayRequest, PlayResponse

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bots/python"))


FORGOTTEN = 4
"""Maximum number of messages that a forgetful bot forgets, unless it forgets all."""
ALL_FORGOTTEN = 0.4
"""The share of its streams on which it forgets all."""


class Forgetful(bridgemaster.Bot):
    """Decides by the request alone, so that repeated requests lead to equal decisions."""

    name = "python-forgetful"
    version = "1"

    def __init__(self, seed: int) -> None:
        """Create a bot; equal seeds lead to equal decisions."""
        self._seed = seed

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Choose a position in the list of legal decisions by a hash of the list."""
        legal = [one.SerializeToString(deterministic=True) for one in request.legal_decisions]
        return zlib.crc32(b"".join(legal), self._seed) % request.legal_count


class Memory:
    """The messages that the bot has acknowledged; servers do not go back beyond these."""

    def __init__(self, seed: int, *, forgets: bool) -> None:
        """Start without messages."""
        self._luck, self._forgets = random.Random(seed), forgets
        self._requests: dict[int, int] = {}
        """The sequence number of each request."""
        self._acknowledged = 0

    def receive(self, response: PlayResponse) -> None:
        """Record a message of a server."""
        if response.HasField("decision_request"):
            self._requests[response.decision_request.request_id] = response.sequence

    def prepare(self, request: PlayRequest) -> None:
        """Record a message to a server; a forgetful bot removes facts from its Hello."""
        if request.HasField("decision"):
            self._acknowledge(self._requests.get(request.decision.request_id, 0))
        hello = request.hello
        if not request.HasField("hello") or hello.last_sequence == 0 or not self._forgets:
            return
        if self._luck.random() < ALL_FORGOTTEN:
            hello.ClearField("last_sequence")
            hello.ClearField("history_id")
        else:
            remembered = hello.last_sequence - self._luck.randint(0, FORGOTTEN)
            hello.last_sequence = max(remembered, self._acknowledged, 1)
            self._acknowledge(hello.last_sequence)

    def _acknowledge(self, number: int) -> None:
        self._acknowledged = max(self._acknowledged, number)


def log_message(direction: str, server: str, message: PlayRequest | PlayResponse) -> None:
    """Write a line in the format in which the Rust library logs at the level `trace`."""
    now = datetime.now(timezone.utc).isoformat(timespec="microseconds").removesuffix("+00:00")
    # One write per line, because two threads write.
    line = f'{now}Z TRACE python: {direction} server_url="{server}" bytes={wire(message)}\n'
    sys.stderr.write(line)
    sys.stderr.flush()


def wire(message: PlayRequest | PlayResponse) -> str:
    """Return a message as hex digits."""
    return message.SerializeToString(deterministic=True).hex()


class LoggedEvents:
    """The events of a seat, with a log of those from the server."""

    def __init__(self, events: Events, server: str, memory: Memory) -> None:
        """Wrap the events of a stream to this server."""
        self._events, self._server, self._memory = events, server, memory

    def put(self, event: object) -> None:
        """Log and forward an event."""
        if isinstance(event, FromServer) and isinstance(event.payload, PlayResponse):
            log_message("received", self._server, event.payload)
            self._memory.receive(event.payload)
        self._events.put(event)  # type: ignore[arg-type]


class LoggedStream(Stream):
    """A stream that logs its messages."""

    memory: Memory
    """The memory of the only seat of this process."""

    def __init__(
        self, options: ResolvedOptions, server: Server, hello: PlayRequest, events: Events
    ) -> None:
        """Open the stream."""
        self._server = server.address
        self.memory.prepare(hello)
        log_message("sent", server.address, hello)
        logged = LoggedEvents(events, server.address, self.memory)
        super().__init__(options, server, hello, logged)  # type: ignore[arg-type]

    def send(self, message: PlayRequest) -> None:
        """Send a message."""
        self.memory.prepare(message)
        log_message("sent", self._server, message)
        super().send(message)


def bot_of(kind: str, seed: int) -> bridgemaster.Bot:
    """Return a new bot of this kind."""
    if kind == "forgetful":
        return Forgetful(seed)
    from sample import SampleBot

    return SampleBot(seed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["forgetful", "sample"])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--reconnect-for", type=float, required=True, help="in seconds")
    arguments = parser.parse_args()
    forgets = arguments.kind == "forgetful"
    LoggedStream.memory = Memory(arguments.seed, forgets=forgets)
    _seat.Stream = LoggedStream  # type: ignore[misc]
    options = bridgemaster.Options(reconnect_for_s=arguments.reconnect_for)
    bridgemaster.run(bot_of(arguments.kind, arguments.seed), options)
