"""A bot of the Python package that writes down every message of its streams, as bytes.

One kind is forgetful: when it comes back it says now and then that it knows less than it was told,
or nothing, so that a server tells it again what another one told it before.
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
from bridgemaster._options import Seating
from bridgemaster._route import Place
from bridgemaster._stream import Stream
from bridgemaster.v1.play_pb2 import PlayRequest, PlayResponse

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bots/python"))


FORGOTTEN = 4
"""Most messages that a forgetful one forgets, unless it forgets all."""
ALL_FORGOTTEN = 0.4
"""Share of its streams on which it does."""


class Forgetful(bridgemaster.Bot):
    """Decides by its request alone, so that it decides the same when it is asked again."""

    name = "python-forgetful"
    version = "1"

    def __init__(self, seed: int) -> None:
        """Equal seeds decide equally."""
        self._seed = seed

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Answer by a position in the legal list that follows from the list."""
        legal = [one.SerializeToString(deterministic=True) for one in request.legal_decisions]
        return zlib.crc32(b"".join(legal), self._seed) % request.legal_count


class Memory:
    """What the bot has shown to have, behind which no server goes back."""

    def __init__(self, seed: int, *, forgets: bool) -> None:
        """Begin with nothing."""
        self._luck, self._forgets = random.Random(seed), forgets
        self._requests: dict[int, int] = {}
        """The number of the message of each request."""
        self._shown = 0

    def told(self, response: PlayResponse) -> None:
        """Take what a server said."""
        if response.HasField("decision_request"):
            self._requests[response.decision_request.request_id] = response.sequence

    def says(self, request: PlayRequest) -> None:
        """Take what is said to a server; in a Hello something may be forgotten."""
        if request.HasField("decision"):
            self._show(self._requests.get(request.decision.request_id, 0))
        hello = request.hello
        if not request.HasField("hello") or hello.last_sequence == 0 or not self._forgets:
            return
        if self._luck.random() < ALL_FORGOTTEN:
            hello.ClearField("last_sequence")
            hello.ClearField("history_id")
        else:
            kept = hello.last_sequence - self._luck.randint(0, FORGOTTEN)
            hello.last_sequence = max(kept, self._shown, 1)
            self._show(hello.last_sequence)

    def _show(self, number: int) -> None:
        self._shown = max(self._shown, number)


def write_down(what: str, server: str, message: PlayRequest | PlayResponse) -> None:
    """Write a line as the Rust library does at the level `trace`."""
    now = datetime.now(timezone.utc).isoformat(timespec="microseconds").removesuffix("+00:00")
    # One write a line: two threads write.
    line = f'{now}Z TRACE python: {what} server_url="{server}" bytes={wire(message)}\n'
    sys.stderr.write(line)
    sys.stderr.flush()


def wire(message: PlayRequest | PlayResponse) -> str:
    """Return a message as hex digits."""
    return message.SerializeToString(deterministic=True).hex()


class LoggedEvents:
    """The events of a seat, of which those from the server are written down."""

    def __init__(self, events: Events, server: str, memory: Memory) -> None:
        """Write down for a stream to this server."""
        self._events, self._server, self._memory = events, server, memory

    def put(self, event: object) -> None:
        """Take an event."""
        if isinstance(event, FromServer) and isinstance(event.what, PlayResponse):
            write_down("received", self._server, event.what)
            self._memory.told(event.what)
        self._events.put(event)  # type: ignore[arg-type]


class LoggedStream(Stream):
    """A stream whose messages are written down."""

    memory: Memory
    """Of the one seat of this program."""

    def __init__(self, seating: Seating, place: Place, hello: PlayRequest, events: Events) -> None:
        """Open it."""
        self._server = place.server
        self.memory.says(hello)
        write_down("sent", place.server, hello)
        logged = LoggedEvents(events, place.server, self.memory)
        super().__init__(seating, place, hello, logged)  # type: ignore[arg-type]

    def send(self, message: PlayRequest) -> None:
        """Send a message."""
        self.memory.says(message)
        write_down("sent", self._server, message)
        super().send(message)


def bot_of(kind: str, seed: int) -> bridgemaster.Bot:
    """Return the bot of this name, as its program makes it."""
    if kind == "forgetful":
        return Forgetful(seed)
    from sample import SampleBot

    return SampleBot(seed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["forgetful", "sample"])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--reconnect-for", type=float, required=True, help="in s")
    arguments = parser.parse_args()
    forgets = arguments.kind == "forgetful"
    LoggedStream.memory = Memory(arguments.seed, forgets=forgets)
    _seat.Stream = LoggedStream  # type: ignore[misc]
    options = bridgemaster.Options(reconnect_for_s=arguments.reconnect_for)
    bridgemaster.run(bot_of(arguments.kind, arguments.seed), options)
