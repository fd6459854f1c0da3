"""Adapters that turn every kind of bot into a `Bot` whose methods are called on a thread."""

import asyncio
import concurrent.futures
import contextlib
import inspect
from collections.abc import Coroutine
from typing import Any, TypeVar

from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import DecisionRejected, MatchStarted, SeatStatus

from ._bot import AnyBot, AsyncBot, AsyncDecide, Bot, Choice, Decide
from ._request import Request

_T = TypeVar("_T")


def is_async(bot: AnyBot) -> bool:
    """Return whether a bot needs an event loop."""
    if isinstance(bot, Bot | AsyncBot):
        return isinstance(bot, AsyncBot)
    return inspect.iscoroutinefunction(bot) or inspect.iscoroutinefunction(type(bot).__call__)


def as_bot(bot: AnyBot, loop: asyncio.AbstractEventLoop | None) -> Bot:
    """Adapt any kind of bot to `Bot`; coroutines run on `loop`."""
    if isinstance(bot, Bot):
        return bot
    if isinstance(bot, type):
        raise TypeError(f"expected a bot, but {bot.__name__} is a class: call it to create one")
    if isinstance(bot, AsyncBot):
        return _OnLoop(bot, _require_loop(loop))
    if not callable(bot):
        raise TypeError(f"expected a function, a Bot or an AsyncBot, not {bot!r}")
    if is_async(bot):
        return _OnLoop(_AsyncFunction(bot), _require_loop(loop))  # type: ignore[arg-type]
    return _Function(bot)  # type: ignore[arg-type]


def _require_loop(loop: asyncio.AbstractEventLoop | None) -> asyncio.AbstractEventLoop:
    if loop is None:
        raise RuntimeError("an asynchronous bot requires an event loop")
    return loop


class _Function(Bot):
    def __init__(self, function: Decide) -> None:
        self._function = function

    def decide(self, request: Request) -> Choice:
        return self._function(request)


class _AsyncFunction(AsyncBot):
    def __init__(self, function: AsyncDecide) -> None:
        self._function = function

    async def decide(self, request: Request) -> Choice:
        return await self._function(request)


class _OnLoop(Bot):
    """Runs the coroutines of a bot on an event loop and waits for each of them."""

    def __init__(self, bot: AsyncBot, loop: asyncio.AbstractEventLoop) -> None:
        self._bot = bot
        self._loop = loop
        self.name, self.version, self.games = bot.name, bot.version, bot.games
        self._running: asyncio.Task[Any] | None = None
        self._stopped = False

    def decide(self, request: Request) -> Choice:
        return self._wait_for(self._bot.decide(request), request)

    def match_started(self, started: MatchStarted) -> None:
        self._wait_for(self._bot.match_started(started))

    def decision_rejected(self, rejected: DecisionRejected) -> None:
        self._wait_for(self._bot.decision_rejected(rejected))

    def seat_changed(self, status: SeatStatus) -> None:
        self._wait_for(self._bot.seat_changed(status))

    def match_ended(self, result: MatchResult) -> None:
        self._wait_for(self._bot.match_ended(result))

    def stop(self) -> None:
        """Cancel the running coroutine and all later ones."""
        self._stopped = True
        if self._running is not None:
            self._cancel(self._running)

    def _wait_for(self, coroutine: Coroutine[Any, Any, _T], request: Request | None = None) -> _T:
        """Run a coroutine and wait for its end; a cancelled one might end long after that."""
        ended: concurrent.futures.Future[asyncio.Task[_T]] = concurrent.futures.Future()

        def start() -> None:
            self._running = running = self._loop.create_task(coroutine)
            running.add_done_callback(ended.set_result)
            if self._stopped:
                running.cancel()
            if request is not None:
                request.when_cancelled(lambda: self._cancel(running))

        self._loop.call_soon_threadsafe(start)
        task = ended.result()
        if task.cancelled():
            # Unlike the error of asyncio, this one is an Exception.
            raise concurrent.futures.CancelledError
        return task.result()

    def _cancel(self, running: asyncio.Task[Any]) -> None:
        # A closed loop has no running coroutines.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(running.cancel)


def stop(bot: Bot) -> None:
    """Cancel the coroutines of a bot that `as_bot` returned, if it has any."""
    if isinstance(bot, _OnLoop):
        bot.stop()
