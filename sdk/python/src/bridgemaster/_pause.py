"""A switch that pauses a bot attending a queue."""

import threading


class PauseSwitch:
    """Pauses and resumes a bot that attends a queue.

    A paused bot receives no offers; its matches in progress continue. The switch can be used from
    any thread and from signal handlers. The bot holds the state, so it stays paused when the server
    restarts.
    """

    def __init__(self) -> None:
        """Create a switch that does not pause the bot."""
        # Notified when the switch or the state of its reporter changes. The lock is reentrant for
        # signal handlers, which can run on the thread that holds it.
        self.changed = threading.Condition(threading.RLock())
        self._paused = False

    def pause(self) -> None:
        """Pause the bot: it receives no further offers."""
        self._set(paused=True)

    def resume(self) -> None:
        """Resume the bot: it receives offers again."""
        self._set(paused=False)

    @property
    def is_paused(self) -> bool:
        """True if the switch is set to pause. The server might not have received the change yet."""
        return self._paused

    def _set(self, *, paused: bool) -> None:
        with self.changed:
            self._paused = paused
            self.changed.notify_all()
