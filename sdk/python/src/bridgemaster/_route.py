"""The servers that a seat or an attendance tries."""

from dataclasses import dataclass

import grpc


@dataclass(frozen=True)
class Server:
    """A server and how to connect to it."""

    address: str
    """The address as given in the options."""
    target: str
    """The address as gRPC dials it: HOST:PORT."""
    credentials: grpc.ChannelCredentials | None
    """None for a connection without TLS."""


class Route:
    """The current server, among the configured ones or after a redirect."""

    def __init__(self, servers: tuple[Server, ...]) -> None:
        """Start at the first server."""
        self._servers = servers
        self._index = 0
        self._was_redirected = False
        self.server = servers[0]

    def answer_timeout_s(self, max_s: float, total_s: float) -> float:
        """Return the time to wait for the first answer of a server, at most `max_s`.

        Several servers share `total_s` equally.
        """
        count = len(self._servers)
        return max_s if count == 1 else min(max_s, total_s / count)

    def mark_answered(self) -> None:
        """Record that the server answered instead of redirecting."""
        self._was_redirected = False

    def advance(self, moved_to: str | None) -> bool:
        """Move to `moved_to` (HOST:PORT), or to the next configured server if it is None.

        Return whether to retry at once. Only the first of consecutive redirects is followed at
        once, so that two servers cannot redirect a caller back and forth without a pause.
        """
        if moved_to is not None:
            # The address has no scheme: keep the current one.
            scheme = "http" if self.server.credentials is None else "https"
            self.server = Server(f"{scheme}://{moved_to}", moved_to, self.server.credentials)
            retry_at_once = not self._was_redirected
            self._was_redirected = True
            return retry_at_once
        self._was_redirected = False
        self._index = (self._index + 1) % len(self._servers)
        self.server = self._servers[self._index]
        return False
