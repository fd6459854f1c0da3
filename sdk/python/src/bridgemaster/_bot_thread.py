"""The thread on which a bot thinks."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

from ._bot import Bot
from ._bot_kinds import stop
from ._events import Answered, BotDone, Events
from ._request import Request

_T = TypeVar("_T")


class BotThread:
    """Calls the methods of a bot one after the other; what it answers goes to the events.

    The thread is a daemon: a bot that thinks on after the end keeps no program from ending.
    """

    def __init__(self, bot: Bot, events: Events) -> None:
        """Start the thread."""
        self._bot = bot
        self._events = events
        # None is the end.
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._stopped = False
        threading.Thread(target=self._run, name="bridgemaster-bot", daemon=True).start()

    def decide(self, request: Request) -> None:
        """Ask the bot."""
        self._tasks.put(lambda: self._events.put(Answered(request, self._bot.decide(request))))

    def tell(self, method: Callable[[_T], None], argument: _T) -> None:
        """Call another method of the bot."""
        self._tasks.put(lambda: method(argument))

    def finish(self) -> None:
        """Let `BotDone` be the next event after all that the bot was given."""
        self._tasks.put(None)

    def stop(self) -> None:
        """Give the bot nothing more; it may still be thinking."""
        self._stopped = True
        self._tasks.put(None)
        stop(self._bot)

    def _run(self) -> None:
        raised: BaseException | None = None
        try:
            while (task := self._tasks.get()) is not None and not self._stopped:
                task()
        except BaseException as error:  # SystemExit of a bot too: it ends play, not this thread.
            raised = error
        self._events.put(BotDone(raised))
