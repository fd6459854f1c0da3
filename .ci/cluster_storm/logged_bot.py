"""A bot of the Python package that writes down every message of its streams, as bytes."""

import argparse
import sys
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

    def __init__(self, events: Events, server: str) -> None:
        """Write down for a stream to this server."""
        self._events, self._server = events, server

    def put(self, event: object) -> None:
        """Take an event."""
        if isinstance(event, FromServer) and isinstance(event.what, PlayResponse):
            write_down("received", self._server, event.what)
        self._events.put(event)  # type: ignore[arg-type]


class LoggedStream(Stream):
    """A stream whose messages are written down."""

    def __init__(self, seating: Seating, place: Place, hello: PlayRequest, events: Events) -> None:
        """Open it."""
        self._server = place.server
        write_down("sent", place.server, hello)
        logged = LoggedEvents(events, place.server)
        super().__init__(seating, place, hello, logged)  # type: ignore[arg-type]

    def send(self, message: PlayRequest) -> None:
        """Send a message."""
        write_down("sent", self._server, message)
        super().send(message)


def bot_of(kind: str, seed: int) -> bridgemaster.Bot:
    """Return the bot of this name, as its program makes it."""
    if kind == "random":
        from random_bot import RandomBot

        return RandomBot(seed)
    from sample import SampleBot

    return SampleBot(seed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["random", "sample"])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--reconnect-for", type=float, required=True, help="in s")
    arguments = parser.parse_args()
    _seat.Stream = LoggedStream  # type: ignore[misc]
    options = bridgemaster.Options(reconnect_for_s=arguments.reconnect_for)
    bridgemaster.run(bot_of(arguments.kind, arguments.seed), options)
