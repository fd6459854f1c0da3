"""Pauses between attempts to connect."""

import random
import time

FIRST_PAUSE_S = 0.05
"""A server that only dropped the stream is back at once."""
LONGEST_PAUSE_S = 2.0
"""What a bot loses of its clock at most when the server comes back."""


class Backoff:
    """Pauses that double up to a limit, until a span of time is over."""

    def __init__(self, span_s: float) -> None:
        """Start a span now."""
        self._pause_s = FIRST_PAUSE_S
        self.restart(span_s, progressed=False)

    def restart(self, span_s: float, *, progressed: bool) -> None:
        """Start another span now.

        The pauses begin anew only when the last stream `progressed`: a server that welcomes a bot
        and drops it at once is not hammered.
        """
        self._ends = time.monotonic() + span_s
        if progressed:
            self._pause_s = FIRST_PAUSE_S

    def next_pause_s(self) -> float | None:
        """Return the next pause, or None when the span is over.

        A pause has half to all of its length, so that the bots of a lost server do not return all
        at once.
        """
        left_s = self._ends - time.monotonic()
        if left_s <= 0:
            return None
        pause_s = self._pause_s * random.uniform(0.5, 1.0)
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        return min(pause_s, left_s)
