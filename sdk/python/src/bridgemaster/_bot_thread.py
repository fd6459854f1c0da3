"""The thread that runs a bot."""

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

from ._bot import Bot
from ._bot_adapters import stop
from ._events import Answered, BotDone, Events
from ._request import Request

_T = TypeVar("_T")

log = logging.getLogger("bridgemaster")


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
        self._thread = threading.Thread(target=self._run, name="bridgemaster-bot", daemon=True)
        self._thread.start()

    def decide(self, request: Request) -> None:
        """Call `decide` on the bot's thread."""
        self._tasks.put(lambda: self._decide(request))

    def _decide(self, request: Request) -> None:
        if request.cancelled.is_set():
            return
        try:
            choice = self._bot.decide(request)
        except Exception:
            if not request.cancelled.is_set():
                raise
            log.debug("request %d: cancelled", request.request_id, exc_info=True)
        else:
            self._events.put(Answered(request, choice))

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

    def join(self) -> None:
        """Wait until the current call has returned, after `stop`."""
        self._thread.join()

    def _run(self) -> None:
        raised: BaseException | None = None
        try:
            while (task := self._tasks.get()) is not None and not self._stopped:
                task()
        except BaseException as error:  # Also SystemExit: `play` raises it, not this thread.
            raised = error
        self._events.put(BotDone(raised))
