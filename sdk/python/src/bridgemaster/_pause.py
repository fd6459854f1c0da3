"""Pauses a bot that attends a queue."""

import threading


class PauseSwitch:
    """Pauses a bot that attends a queue, and lets it go on.

    While it pauses it is offered nothing, and its matches in play go on. Any thread may turn the
    switch, and so may the handler of a signal. It is kept by the bot, so a bot that pauses still
    does when the server was started again.
    """

    def __init__(self) -> None:
        """Make a switch by which the bot does not pause."""
        # Notified when it is turned, and when whoever follows it is to look. Of a kind that a
        # handler may take again while its thread holds it.
        self.turned = threading.Condition(threading.RLock())
        self._paused = False

    def pause(self) -> None:
        """Have the bot pause."""
        self._turn(paused=True)

    def resume(self) -> None:
        """Let the bot go on."""
        self._turn(paused=False)

    @property
    def is_paused(self) -> bool:
        """Whether the bot pauses, or will as soon as the server is told."""
        return self._paused

    def _turn(self, *, paused: bool) -> None:
        with self.turned:
            self._paused = paused
            self.turned.notify_all()
