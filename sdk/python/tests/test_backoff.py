"""The pauses between attempts to connect."""

import unittest

from bridgemaster._backoff import FIRST_PAUSE_S, LONGEST_PAUSE_S, Backoff


class BackoffTest(unittest.TestCase):
    """Pauses are drawn, so ranges are checked."""

    def test_pauses_grow_to_a_limit_and_vary(self) -> None:
        backoff = Backoff(3600)
        pauses = [backoff.next_pause_s() for _ in range(30)]
        self.assertTrue(FIRST_PAUSE_S / 2 <= pauses[0] <= FIRST_PAUSE_S)
        for pause in pauses[10:]:
            self.assertTrue(LONGEST_PAUSE_S / 2 <= pause <= LONGEST_PAUSE_S)
        self.assertGreater(len(set(pauses[10:])), 1)

    def test_pauses_begin_anew_only_after_progress(self) -> None:
        backoff = Backoff(3600)
        for _ in range(10):
            backoff.next_pause_s()
        backoff.restart(3600, progressed=False)
        self.assertGreaterEqual(backoff.next_pause_s(), LONGEST_PAUSE_S / 2)
        backoff.restart(3600, progressed=True)
        self.assertLessEqual(backoff.next_pause_s(), FIRST_PAUSE_S)

    def test_a_span_that_is_over_has_no_pause(self) -> None:
        self.assertIsNone(Backoff(0).next_pause_s())
