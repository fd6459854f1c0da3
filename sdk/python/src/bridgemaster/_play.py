"""Plays a match: for programs, and for asyncio."""

import asyncio
import threading

from bridgemaster.v1.match_pb2 import MatchResult

from ._bot import AnyBot
from ._bot_kinds import is_async, on_thread
from ._options import Options, seating
from ._seat import PlayStoppedError, Seat


def play(bot: AnyBot, options: Options | None = None) -> MatchResult:
    """Play one match to its end and return the result.

    `bot` is a `Bot`, or a function that takes a `Request` and returns a `Choice`; it thinks on a
    thread of its own. May be called from several threads at once, and from a notebook. An
    `AsyncBot` or a coroutine function gets an event loop; where one is running already, call
    `play_async`.

    Raises `PlayError` when the match could not be played to its end. What the bot raises is raised
    here.
    """
    if is_async(bot):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(play_async(bot, options))
        raise RuntimeError("an event loop is running already: `await play_async(...)` instead")
    plain = on_thread(bot, None)
    return Seat(plain, seating(options or Options(), plain)).play()


async def play_async(bot: AnyBot, options: Options | None = None) -> MatchResult:
    """Play one match to its end and return the result, while other tasks of the loop go on.

    As `play`. The methods of an `AsyncBot`, or a coroutine function, run on the calling loop; other
    bots think on a thread of their own. Cancelling it ends the stream.
    """
    loop = asyncio.get_running_loop()
    plain = on_thread(bot, loop)
    seat = Seat(plain, seating(options or Options(), plain))
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
        # Without its loop nobody waits for the result.
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, raised)

    threading.Thread(target=body, name="bridgemaster-seat", daemon=True).start()
    try:
        return await asyncio.shield(ended)
    except asyncio.CancelledError:
        seat.stop()
        # The stream is closed before the task is over.
        await asyncio.wait([ended])
        if not ended.cancelled() and not isinstance(ended.exception(), PlayStoppedError):
            return ended.result()
        raise
