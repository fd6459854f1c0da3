"""Pauses between attempts to connect."""

import random
import time

FIRST_PAUSE_S = 0.05
"""Short, because a server that only dropped the stream is available at once."""
MAX_PAUSE_S = 2.0
"""Upper limit of a pause, and of the time that a bot loses after its server has restarted."""


class Backoff:
    """Exponential backoff with a total time limit."""

    def __init__(self, limit_s: float) -> None:
        """Start the time limit now."""
        self._pause_s = FIRST_PAUSE_S
        self.restart(limit_s, progressed=False)

    def restart(self, limit_s: float, *, progressed: bool) -> None:
        """Start a new time limit now.

        The pauses start over only if the last stream `progressed`, so that a server that accepts a
        bot and then drops it is not flooded.
        """
        self._deadline_s = time.monotonic() + limit_s
        if progressed:
            self._pause_s = FIRST_PAUSE_S

    def next_pause_s(self) -> float | None:
        """Return the next pause, or None after the time limit.

        Pauses are randomized (50 to 100 %), so that the bots of a lost server do not reconnect all
        at once.
        """
        left_s = self._deadline_s - time.monotonic()
        if left_s <= 0:
            return None
        pause_s = self._pause_s * random.uniform(0.5, 1.0)
        self._pause_s = min(2 * self._pause_s, MAX_PAUSE_S)
        return min(pause_s, left_s)
