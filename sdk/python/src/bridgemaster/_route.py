"""The servers that a seat or an attendance tries."""

from dataclasses import dataclass

import grpc

from ._errors import StreamLostError, TlsError
from ._tls import requires_tls, tls_mistake


@dataclass(frozen=True)
class Server:
    """A server and how to connect to it."""

    address: str
    """The address as given in the options."""
    target: str
    """The address as gRPC dials it: HOST:PORT."""
    credentials: grpc.ChannelCredentials | None
    """None for a connection without TLS."""
    proxy: str | None = None
    """Address of the proxy, if any."""


class Route:
    """The current server, among the configured ones."""

    def __init__(self, servers: tuple[Server, ...]) -> None:
        """Start at the first server."""
        self._servers = servers
        self._index = 0
        self._probed = False
        self.server = servers[0]

    def answer_timeout_s(self, max_s: float, total_s: float) -> float:
        """Return the time to wait for the first answer of a server, at most `max_s`.

        Several servers share `total_s` equally.
        """
        count = len(self._servers)
        return max_s if count == 1 else min(max_s, total_s / count)

    def check_tls(self, lost: StreamLostError, *, had_stream: bool) -> None:
        """Raise `TlsError` if a TLS mistake made the current server fail.

        With several servers, the next one is tried instead.
        """
        if len(self._servers) > 1 or lost.reason is not None:
            return
        mistake = None
        if self.server.credentials is not None:
            mistake = tls_mistake(str(lost))
        elif not (had_stream or self._probed or self.server.proxy):
            self._probed = True
            mistake = requires_tls(self.server.target)
        if mistake is not None:
            raise TlsError(f"cannot connect to {self.server.address}: {mistake}") from lost

    def advance(self) -> None:
        """Continue with the next configured server, after a failure of the current one."""
        self._index = (self._index + 1) % len(self._servers)
        self.server = self._servers[self._index]
