"""Which of several servers a seat or an attendance is at."""

from dataclasses import dataclass

import grpc


@dataclass(frozen=True)
class Place:
    """A server, and how it is reached."""

    server: str
    """Its address, as it was given."""
    target: str
    """The same as gRPC dials it: host and port."""
    credentials: grpc.ChannelCredentials | None
    """None for a server that is reached without TLS."""


class Route:
    """Goes from one server to the next, and where a server says that something is."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        """Begin at the server that was named first."""
        self._places = places
        self._tried = 0
        self._was_sent = False
        self.place = places[0]

    def patience_s(self, most_s: float, span_s: float) -> float:
        """Return how long a server may keep one waiting for its first answer, at most `most_s`.

        Where several were named, each has its share of the span of time in which one must be found.
        """
        several = len(self._places)
        return most_s if several == 1 else min(most_s, span_s / several)

    def arrived(self) -> None:
        """Note that the server has answered for itself."""
        self._was_sent = False

    def go_on(self, moved_to: str | None) -> bool:
        """Go to `moved_to`, HOST:PORT, or without it to the next server that was named.

        Return whether that may be tried at once: two servers that send a caller back and forth must
        not do so without a pause.
        """
        if moved_to is not None:
            # The same way as here: an address says nothing of TLS.
            scheme = "http" if self.place.credentials is None else "https"
            self.place = Place(f"{scheme}://{moved_to}", moved_to, self.place.credentials)
            at_once = not self._was_sent
            self._was_sent = True
            return at_once
        self._was_sent = False
        self._tried = (self._tried + 1) % len(self._places)
        self.place = self._places[self._tried]
        return False
