"""A network whose links are cut, slow or silent on order: a proxy before a server."""

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar

T = TypeVar("T")

LARGEST_PIECE_BYTES = 65536
RESET = struct.pack("ii", 1, 0)
"""As the option SO_LINGER: a close that tells the other end of a failure at once."""


class Cut(Enum):
    """How a link is cut; in each way what is under way is lost."""

    RESET = auto()
    CLOSE = auto()
    SILENCE = auto()
    """Nothing comes through for a while, then both ends see a reset."""


SILENCE_S = 2.0


@dataclass(eq=False)
class Link:
    """A connection of a client, and that to the server."""

    bot: asyncio.StreamWriter
    server: asyncio.StreamWriter
    is_silent: bool = False
    is_cut: bool = False

    def close(self, *, reset: bool) -> None:
        """Close both ends."""
        for end in (self.bot, self.server):
            there = end.get_extra_info("socket")
            if reset and there is not None and there.fileno() >= 0:
                there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                end.transport.abort()
            else:
                end.close()


class Links:
    """A proxy on a thread of its own."""

    def __init__(self) -> None:
        """Listen on a free port."""
        self._server: tuple[str, int] | None = None
        self._links: set[Link] = set()
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
        """Where it listens."""
        return int(self.url.rsplit(":", 1)[1])

    def delay(self, delay_s: float) -> None:
        """Let all that comes through from now on take so long, either way."""
        self._delay_s = delay_s

    def hold(self) -> None:
        """Let nothing through until `let_go`; nothing is lost, and no end is told."""
        self._loop.call_soon_threadsafe(self._flows.clear)

    def let_go(self) -> None:
        """Let through what was held, and all that comes."""
        self._loop.call_soon_threadsafe(self._flows.set)

    def cut_all(self) -> None:
        """Reset all links."""
        self._do(self._cut_all())

    def lead_to(self, url: str | None) -> None:
        """Lead new connections there; without an address they are reset at once."""
        address = url.removeprefix("http://").rsplit(":", 1) if url else None
        self._server = (address[0], int(address[1])) if address else None

    def cut(self, pick: float, how: Cut) -> bool:
        """Cut one of the links, a number from 0 to 1 telling which; say if there was one."""
        return self._do(self._cut(pick, how))

    def _do(self, what: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result()

    async def _listen(self) -> int:
        listener = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        return int(listener.sockets[0].getsockname()[1])

    async def _cut(self, pick: float, how: Cut) -> bool:
        whole = [link for link in self._links if not link.is_cut]
        if not whole:
            return False
        link = whole[int(pick * len(whole))]
        link.is_cut = True
        if how is Cut.SILENCE:
            link.is_silent = True
            self._loop.call_later(SILENCE_S, lambda: link.close(reset=True))
        else:
            link.close(reset=how is Cut.RESET)
        return True

    async def _cut_all(self) -> None:
        for link in self._links:
            link.is_cut = True
            link.close(reset=True)

    async def _carry(self, from_bot: asyncio.StreamReader, bot: asyncio.StreamWriter) -> None:
        self.accepted += 1
        try:
            if self._server is None:
                raise ConnectionRefusedError
            from_server, server = await asyncio.open_connection(*self._server)
        except OSError:
            Link(bot, bot).close(reset=True)
            return
        link = Link(bot, server)
        self._links.add(link)
        try:
            await asyncio.gather(
                self._copy(link, from_bot, server), self._copy(link, from_server, bot)
            )
        except OSError:
            link.close(reset=True)
        finally:
            self._links.discard(link)

    async def _copy(
        self, link: Link, source: asyncio.StreamReader, sink: asyncio.StreamWriter
    ) -> None:
        # In its order, each piece with the moment at which it may come through; nothing is the end.
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        arriving = asyncio.create_task(self._deliver(link, under_way, sink))
        try:
            while piece := await source.read(LARGEST_PIECE_BYTES):
                under_way.put_nowait((self._loop.time() + self._delay_s, piece))
                if arriving.done():
                    break
            under_way.put_nowait((0.0, b""))
            await arriving
        finally:
            arriving.cancel()

    async def _deliver(
        self,
        link: Link,
        under_way: "asyncio.Queue[tuple[float, bytes]]",
        sink: asyncio.StreamWriter,
    ) -> None:
        while True:
            due, piece = await under_way.get()
            if (wait_s := due - self._loop.time()) > 0:
                await asyncio.sleep(wait_s)
            await self._flows.wait()
            if not piece:
                break
            if not link.is_silent:
                sink.write(piece)
                await sink.drain()
        if not link.is_cut:
            sink.close()
