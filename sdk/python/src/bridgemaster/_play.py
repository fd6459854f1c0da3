"""Plays a match: for programs, for asyncio, and as the body of a program."""

import asyncio
import sys
import threading

from bridgemaster.v1.match_pb2 import MatchResult

from ._bot import AnyBot
from ._bot_kinds import is_async, on_thread
from ._errors import PlayError
from ._options import Options, bot_name, seating
from ._seat import PlayStoppedError, Seat
from ._terminal import shown

FAILED = 1
"""Exit code of a bot that could not play to the end."""
INTERRUPTED = 130
"""Exit code of a bot that was stopped by Ctrl-C, as shells give it."""


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


def run(bot: AnyBot, options: Options | None = None) -> MatchResult:
    """Be the body of a program: play a match, say in one line how it ended, return the result.

    The match is that of the environment variables BRIDGEMASTER_SERVER and BRIDGEMASTER_TICKET, or
    of the options. A match that could not be played to its end ends the program with exit code 1
    and one line on standard error, and Ctrl-C with 130; at a prompt or in a notebook it is raised.
    What the bot itself raises is raised here, so that its author sees where.
    """
    options = options or Options()
    name = bot_name(options, bot)
    try:
        result = play(bot, options)
    except PlayError as error:
        if is_interactive():
            raise
        print(f"{shown(name)}: error: {error}", file=sys.stderr)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        if is_interactive():
            raise
        print(f"{shown(name)}: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    places = ", ".join(
        f"seat {seat.seat}: place {seat.place} with {seat.score}" for seat in result.seats
    )
    print(f"{shown(name)}: match {shown(result.match_id)} is over; {places}")
    return result


def is_interactive() -> bool:
    """Return whether a person is at a prompt or in a notebook, which outlives an error."""
    return hasattr(sys, "ps1") or ("IPython" in sys.modules and _in_ipython())


def _in_ipython() -> bool:
    get_ipython = getattr(sys.modules["IPython"], "get_ipython", None)
    return get_ipython is not None and get_ipython() is not None
