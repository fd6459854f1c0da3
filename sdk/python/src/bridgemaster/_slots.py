"""The slots of an attending bot.

A slot stays in use until nothing computes for its match any more, which can be later than the end
of the match.
"""

import threading
import time
from collections import deque

from bridgemaster.v1.lobby_service_pb2 import Offer

CHECK_INTERVAL_S = 1.0
"""Interval of the checks for busy slots. A slot is reported as busy only after a whole interval,
since a bot needs some time after every match."""
MAX_OFFER_WAIT_S = 5.0
"""Maximum time that an offer waits for a free slot. Then it is declined, because the other bots of
the match wait, too."""


class Slots:
    """The slots of one attendance, and the offers that wait for a free slot."""

    def __init__(self, total: int) -> None:
        """Start with all slots free."""
        self._total = total
        self._lock = threading.Lock()
        self._in_use = 0
        self._used_at_server: int | None = None
        # Offers with the time at which they are declined, oldest first.
        self._waiting: deque[tuple[Offer, float]] = deque()
        self._least_busy = 0
        # The server's count of busy slots.
        self._reported = 0

    def set_used_at_server(self, used: int | None, reported: int = 0) -> None:
        """Record the server's count of matches in play and open offers, and of busy slots.

        None: the stream is lost, and the server forgets busy slots.
        """
        with self._lock:
            self._used_at_server = used
            self._reported = reported

    def take(self, offer: Offer) -> bool:
        """Take a slot for an offer; if none is free, the offer waits, and False is returned."""
        with self._lock:
            if self._in_use < self._total:
                self._in_use += 1
                return True
            wait_s = min(offer.time_left_ms / 2000, MAX_OFFER_WAIT_S)
            self._waiting.append((offer, time.monotonic() + wait_s))
            return False

    def release(self) -> Offer | None:
        """Pass a slot on to the offer that waits longest, which is returned, or free it."""
        with self._lock:
            self._note_busy()
            if self._waiting:
                return self._waiting.popleft()[0]
            self._in_use -= 1
            return None

    def withdraw(self, offer_id: str) -> bool:
        """Forget an offer that waits, and return whether it waited."""
        with self._lock:
            waiting = deque(one for one in self._waiting if one[0].offer_id != offer_id)
            has_waited = len(waiting) < len(self._waiting)
            self._waiting = waiting
            return has_waited

    def check(self) -> tuple[int | None, list[Offer]]:
        """Return the number of busy slots if it must be reported, and the offers to decline.

        Called once per interval. The number is returned until the server's count shows it, since a
        report can fail. The offers wait until they are withdrawn.
        """
        with self._lock:
            now_s = time.monotonic()
            overdue = [offer for offer, until_s in self._waiting if until_s <= now_s]
            self._note_busy()
            stuck, self._least_busy = self._least_busy, self._busy()
            if stuck == self._reported or self._used_at_server is None:
                return None, overdue
            return stuck, overdue

    def _note_busy(self) -> None:
        self._least_busy = min(self._least_busy, self._busy())

    def _busy(self) -> int:
        """Return the number of slots in use whose matches have ended, by the server's count."""
        if self._used_at_server is None:
            return 0
        return max(0, self._in_use + len(self._waiting) - self._used_at_server)
