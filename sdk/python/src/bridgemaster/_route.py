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
    """The current server, among the configured ones."""

    def __init__(self, servers: tuple[Server, ...]) -> None:
        """Start at the first server."""
        self._servers = servers
        self._index = 0
        self.server = servers[0]

    def answer_timeout_s(self, max_s: float, total_s: float) -> float:
        """Return the time to wait for the first answer of a server, at most `max_s`.

        Several servers share `total_s` equally.
        """
        count = len(self._servers)
        return max_s if count == 1 else min(max_s, total_s / count)

    def advance(self) -> None:
        """Continue with the next configured server, after a failure of the current one."""
        self._index = (self._index + 1) % len(self._servers)
        self.server = self._servers[self._index]
