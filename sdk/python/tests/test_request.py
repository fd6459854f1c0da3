"""Decision requests and their clock."""

import pickle
import time
import unittest

from bridgemaster import Request
from bridgemaster.v1.play_pb2 import DecisionRequest


def decision_request() -> DecisionRequest:
    """Create a request of Alhambra."""
    game = {
        "observation": {"viewer_seat": 1},
        "legal_decisions": [{"pass": {}}, {"take": {}}],
        "events": [{}],
    }
    return DecisionRequest(
        request_id=7,
        game={"alhambra": game},
        legal_count=2,
        clock={"bank_left_ms": 60_000, "decision_left_ms": 5_000},
    )


class RequestTest(unittest.TestCase):
    """A request gives access to its fields with and without naming the game."""

    def test_fields_are_found_without_naming_the_game(self) -> None:
        request = Request(decision_request(), seat=1)
        self.assertEqual((request.request_id, request.seat, request.legal_count), (7, 1, 2))
        self.assertEqual(request.game_name, "alhambra")
        self.assertEqual(request.observation, request.game.alhambra.observation)
        self.assertEqual(list(request.legal_decisions), list(request.game.alhambra.legal_decisions))
        self.assertEqual(len(request.events), 1)
        self.assertFalse(request.legal_decisions_cut)

    def test_a_request_of_an_unknown_game_has_only_the_number_of_decisions(self) -> None:
        request = Request(DecisionRequest(legal_count=3))
        self.assertEqual((request.game_name, request.legal_count), ("", 3))
        with self.assertRaisesRegex(LookupError, "does not know the game"):
            _ = request.observation

    def test_a_request_can_be_pickled(self) -> None:
        request = Request(decision_request(), seat=1)
        request.cancel()
        copy = pickle.loads(pickle.dumps(request))
        self.assertEqual((copy.message, copy.seat), (request.message, 1))
        self.assertTrue(copy.cancelled.is_set())
        copy.cancel()

    def test_the_clock_counts_down_from_the_receipt(self) -> None:
        clock = Request(decision_request(), received_s=time.monotonic() - 2).clock
        self.assertGreaterEqual(clock.used_s, 2)
        self.assertLessEqual(clock.decision_left_s, 3)
        self.assertLessEqual(clock.bank_left_s, 58)
        self.assertGreater(clock.bank_left_s, 30)
        self.assertIsNone(clock.last_charge)

    def test_a_clock_that_ran_out_shows_zero(self) -> None:
        clock = Request(decision_request(), received_s=time.monotonic() - 6).clock
        self.assertEqual(clock.decision_left_s, 0)
        self.assertGreater(clock.bank_left_s, 30)
