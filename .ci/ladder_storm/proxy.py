"""A proxy in front of a server, whose connections can be cut, delayed or paused."""

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar

T = TypeVar("T")

CHUNK_BYTES = 65536
RESET = struct.pack("ii", 1, 0)
"""The value of SO_LINGER with which a close sends a reset."""


class Cut(Enum):
    """The way in which a connection is cut; data in transit is lost."""

    RESET = auto()
    CLOSE = auto()
    SILENCE = auto()
    """No data is forwarded for a while, then both ends receive a reset."""
    ENDLESS_SILENCE = auto()
    """No more data is forwarded; the bot notices it after about a minute."""


BRIEF_CUTS = [Cut.RESET, Cut.CLOSE, Cut.SILENCE]
SILENCE_S = 2.0


@dataclass(eq=False)
class Connection:
    """The connection of a client, and the one to the server."""

    bot: asyncio.StreamWriter
    server: asyncio.StreamWriter
    is_silent: bool = False
    is_cut: bool = False

    def close(self, *, reset: bool) -> None:
        """Close both sides."""
        for end in (self.bot, self.server):
            connected = end.get_extra_info("socket")
            if reset and connected is not None and connected.fileno() >= 0:
                connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                end.transport.abort()
            else:
                end.close()


class Proxy:
    """A proxy on its own thread."""

    def __init__(self) -> None:
        """Listen on a free port."""
        self._server: tuple[str, int] | None = None
        self._connections: set[Connection] = set()
        self.accepted = 0
        self._delay_s = 0.0
        self._loop = asyncio.new_event_loop()
        self._flows = asyncio.Event()
        self._flows.set()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        port = self._do(self._listen())
        self.url = f"http://127.0.0.1:{port}"

    @property
    def port(self) -> int:
        """Return the port of the proxy."""
        return int(self.url.rsplit(":", 1)[1])

    def delay(self, delay_s: float) -> None:
        """Delay all data by this time, in both directions."""
        self._delay_s = delay_s

    def pause(self) -> None:
        """Pause forwarding until `resume`, without losing data or closing connections."""
        self._loop.call_soon_threadsafe(self._flows.clear)

    def resume(self) -> None:
        """Resume forwarding, with the data that arrived meanwhile."""
        self._loop.call_soon_threadsafe(self._flows.set)

    def cut_all(self) -> None:
        """Reset all connections."""
        self._do(self._cut_all())

    def forward_to(self, url: str | None) -> None:
        """Set the server for new connections; without an address they are reset at once."""
        address = url.removeprefix("http://").rsplit(":", 1) if url else None
        self._server = (address[0], int(address[1])) if address else None

    def cut(self, pick: float, how: Cut) -> bool:
        """Cut a connection, chosen by a number from 0 to 1; return whether there was one."""
        return self._do(self._cut(pick, how))

    def _do(self, what: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result()

    async def _listen(self) -> int:
        listener = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        return int(listener.sockets[0].getsockname()[1])

    async def _cut(self, pick: float, how: Cut) -> bool:
        whole = [connection for connection in self._connections if not connection.is_cut]
        if not whole:
            return False
        connection = whole[int(pick * len(whole))]
        connection.is_cut = True
        if how in (Cut.SILENCE, Cut.ENDLESS_SILENCE):
            connection.is_silent = True
        if how is Cut.ENDLESS_SILENCE:
            return True
        if how is Cut.SILENCE:
            self._loop.call_later(SILENCE_S, lambda: connection.close(reset=True))
        else:
            connection.close(reset=how is Cut.RESET)
        return True

    async def _cut_all(self) -> None:
        for connection in self._connections:
            connection.is_cut = True
            connection.close(reset=True)

    async def _carry(self, from_bot: asyncio.StreamReader, bot: asyncio.StreamWriter) -> None:
        self.accepted += 1
        try:
            if self._server is None:
                raise ConnectionRefusedError
            from_server, server = await asyncio.open_connection(*self._server)
        except OSError:
            Connection(bot, bot).close(reset=True)
            return
        connection = Connection(bot, server)
        self._connections.add(connection)
        try:
            await asyncio.gather(
                self._copy(connection, from_bot, server), self._copy(connection, from_server, bot)
            )
        except OSError:
            connection.close(reset=True)
        finally:
            self._connections.discard(connection)

    async def _copy(
        self, connection: Connection, source: asyncio.StreamReader, sink: asyncio.StreamWriter
    ) -> None:
        # The data in order, each chunk with its delivery time; an empty chunk marks the end.
        in_transit: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        arriving = asyncio.create_task(self._deliver(connection, in_transit, sink))
        try:
            while chunk := await source.read(CHUNK_BYTES):
                in_transit.put_nowait((self._loop.time() + self._delay_s, chunk))
                if arriving.done():
                    break
            in_transit.put_nowait((0.0, b""))
            await arriving
        finally:
            arriving.cancel()

    async def _deliver(
        self,
        connection: Connection,
        in_transit: "asyncio.Queue[tuple[float, bytes]]",
        sink: asyncio.StreamWriter,
    ) -> None:
        while True:
            due, chunk = await in_transit.get()
            if (wait_s := due - self._loop.time()) > 0:
                await asyncio.sleep(wait_s)
            await self._flows.wait()
            if not chunk:
                break
            if not connection.is_silent:
                sink.write(chunk)
                await sink.drain()
        if not connection.is_cut:
            sink.close()
