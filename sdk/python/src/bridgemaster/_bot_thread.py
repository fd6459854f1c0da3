"""The thread that runs a bot."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

from ._bot import Bot
from ._bot_adapters import stop
from ._events import Answered, BotDone, Events
from ._request import Request

_T = TypeVar("_T")


class BotThread:
    """Calls the methods of a bot in sequence and adds its answers to the events.

    The thread is a daemon: a bot that still computes after the match does not keep the program
    running.
    """

    def __init__(self, bot: Bot, events: Events) -> None:
        """Start the thread."""
        self._bot = bot
        self._events = events
        # None ends the thread.
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._stopped = False
        threading.Thread(target=self._run, name="bridgemaster-bot", daemon=True).start()

    def decide(self, request: Request) -> None:
        """Call `decide` on the bot's thread."""
        self._tasks.put(lambda: self._events.put(Answered(request, self._bot.decide(request))))

    def call(self, method: Callable[[_T], None], argument: _T) -> None:
        """Call another method on the bot's thread."""
        self._tasks.put(lambda: method(argument))

    def finish(self) -> None:
        """Add `BotDone` to the events once all calls have finished."""
        self._tasks.put(None)

    def stop(self) -> None:
        """Skip the remaining calls; the current one might still be running."""
        self._stopped = True
        self._tasks.put(None)
        stop(self._bot)

    def _run(self) -> None:
        raised: BaseException | None = None
        try:
            while (task := self._tasks.get()) is not None and not self._stopped:
                task()
        except BaseException as error:  # Also SystemExit: `play` raises it, not this thread.
            raised = error
        self._events.put(BotDone(raised))
