"""Plays one match, synchronously or in asyncio."""

import asyncio
import threading

from bridgemaster.v1.match_pb2 import MatchResult

from ._bot import AnyBot
from ._bot_adapters import as_bot, is_async
from ._options import Options, resolve_options
from ._seat import PlayStoppedError, Seat


def play(bot: AnyBot, options: Options | None = None) -> MatchResult:
    """Play one match to its end and return the result.

    `bot` is a `Bot`, or a function that takes a `Request` and returns a `Choice`; it runs on its
    own thread. Can be called from several threads at once, and from a notebook. For an `AsyncBot`
    or a coroutine function, an event loop is started; if one is already running, call `play_async`
    instead.

    Raises `PlayError` if the match could not be played to its end. Exceptions of the bot propagate.
    """
    if is_async(bot):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(play_async(bot, options))
        raise RuntimeError("an event loop is already running: use `await play_async(...)`")
    adapted = as_bot(bot, None)
    return Seat(adapted, resolve_options(options or Options(), adapted)).play()


def play_in_slot(bot: AnyBot, options: Options) -> None:
    """Play one match as `play` does, and wait until the bot has returned from its last call."""
    if is_async(bot):
        # The loop waits for the coroutines.
        play(bot, options)
        return
    adapted = as_bot(bot, None)
    seat = Seat(adapted, resolve_options(options, adapted))
    try:
        seat.play()
    finally:
        seat.join()


async def play_async(bot: AnyBot, options: Options | None = None) -> MatchResult:
    """Play one match to its end and return the result, while other tasks of the loop run.

    Like `play`. The methods of an `AsyncBot`, or a coroutine function, run on the calling loop;
    other bots run on their own thread. Cancellation ends the stream.
    """
    loop = asyncio.get_running_loop()
    adapted = as_bot(bot, loop)
    seat = Seat(adapted, resolve_options(options or Options(), adapted))
    ended: asyncio.Future[MatchResult] = loop.create_future()

    def settle(result: MatchResult | None, raised: BaseException | None) -> None:
        if ended.done():
            return
        if raised is not None:
            ended.set_exception(raised)
        elif result is not None:
            ended.set_result(result)

    def body() -> None:
        result, raised = None, None
        try:
            result = seat.play()
        except BaseException as error:
            raised = error
        # A closed loop cannot be waiting for the result.
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, raised)

    threading.Thread(target=body, name="bridgemaster-seat", daemon=True).start()
    try:
        return await asyncio.shield(ended)
    except asyncio.CancelledError:
        seat.stop()
        # Close the stream before the task ends.
        await asyncio.wait([ended])
        if not ended.cancelled() and not isinstance(ended.exception(), PlayStoppedError):
            return ended.result()
        raise
