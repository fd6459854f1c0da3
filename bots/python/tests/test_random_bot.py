"""Choices of the random bot."""

import unittest

from bridgemaster import Request
from bridgemaster.v1.play_pb2 import DecisionRequest

from random_bot import RandomBot


def request(decisions: int) -> Request:
    """Create a request with a number of legal decisions, of no game."""
    return Request(DecisionRequest(legal_count=decisions))


class RandomBotTest(unittest.TestCase):
    """The random bot uses only the number of legal decisions."""

    def test_it_reaches_every_legal_decision_and_no_other(self) -> None:
        bot = RandomBot(seed=1)
        asked = request(5)
        self.assertEqual({bot.decide(asked) for _ in range(1000)}, set(range(5)))

    def test_equal_seeds_choose_equally(self) -> None:
        asked = request(50)
        runs = [[bot.decide(asked) for _ in range(20)] for bot in (RandomBot(7), RandomBot(7))]
        self.assertEqual(runs[0], runs[1])
