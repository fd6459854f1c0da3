"""The pauses between attempts to connect."""

import unittest

from bridgemaster._backoff import FIRST_PAUSE_S, MAX_PAUSE_S, Backoff


class BackoffTest(unittest.TestCase):
    """Pauses are random, so ranges are checked."""

    def test_pauses_grow_to_a_limit_and_vary(self) -> None:
        backoff = Backoff(3600)
        pauses = [backoff.next_pause_s() for _ in range(30)]
        self.assertTrue(FIRST_PAUSE_S / 2 <= pauses[0] <= FIRST_PAUSE_S)
        for pause in pauses[10:]:
            self.assertTrue(MAX_PAUSE_S / 2 <= pause <= MAX_PAUSE_S)
        self.assertGreater(len(set(pauses[10:])), 1)

    def test_pauses_start_over_only_after_progress(self) -> None:
        backoff = Backoff(3600)
        for _ in range(10):
            backoff.next_pause_s()
        backoff.restart(3600, progressed=False)
        self.assertGreaterEqual(backoff.next_pause_s(), MAX_PAUSE_S / 2)
        backoff.restart(3600, progressed=True)
        self.assertLessEqual(backoff.next_pause_s(), FIRST_PAUSE_S)

    def test_there_is_no_pause_after_the_time_limit(self) -> None:
        self.assertIsNone(Backoff(0).next_pause_s())
