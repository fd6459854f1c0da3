"""Choices of the sample bot in Alhambra."""

import random
import unittest

from bridgemaster import Request
from bridgemaster.games.alhambra.v1.components_pb2 import (
    CATEGORY_GARDEN,
    CATEGORY_PAVILION,
    CURRENCY_BLUE,
    CURRENCY_ORANGE,
    Building,
    Money,
    MoneyCard,
    Purchase,
)
from bridgemaster.games.alhambra.v1.decision_pb2 import Decision, Pass, Take
from bridgemaster.games.alhambra.v1.observation_pb2 import Observation, SeatView, Yard
from bridgemaster.v1.game_pb2 import GameConfig
from bridgemaster.v1.play_pb2 import DecisionRequest

from sample.alhambra import Alhambra

YARD = Yard(
    blue=Building(category=CATEGORY_PAVILION, price=5),
    orange=Building(category=CATEGORY_GARDEN, price=10),
)


def request(hand: Money, legal: list[Decision]) -> Request:
    """Create a request to seat 1 with this hand."""
    seats = [SeatView(hand=Money(blue=[5])), SeatView(hand=hand)]
    observation = Observation(viewer_seat=1, turn={"seat": 1}, seats=seats, yard=YARD)
    message = {"observation": observation, "legal_decisions": legal}
    return Request(DecisionRequest(game={"alhambra": message}, legal_count=len(legal)))


def take(*values: int) -> Decision:
    """Create a decision to take blue cards of these values."""
    return Decision(
        take=Take(cards=[MoneyCard(currency=CURRENCY_BLUE, value=value) for value in values])
    )


def buy(slot: int, *payment: int, give: bool = False) -> Decision:
    """Create a decision to buy."""
    return Decision(buy=Purchase(slot=slot, payment=payment, give=give))


class AlhambraTest(unittest.TestCase):
    """The player, given observations."""

    def setUp(self) -> None:
        self.player = Alhambra(GameConfig(), random.Random(1))

    def test_it_pays_exactly_with_the_fewest_cards(self) -> None:
        hand = Money(blue=[1, 2, 2, 3], orange=[1, 9])
        choice = self.player.decide(request(hand, []))
        self.assertEqual(choice, buy(CURRENCY_ORANGE, 1, 9))
        choice = self.player.decide(request(Money(blue=[1, 1, 2, 2, 3]), []))
        self.assertEqual(choice, buy(CURRENCY_BLUE, 2, 3))

    def test_it_pays_only_in_the_currency_of_the_slot(self) -> None:
        legal = [take(1), take(6)]
        choice = self.player.decide(request(Money(green=[5], orange=[5]), legal))
        self.assertEqual(choice, 1)

    def test_it_takes_the_most_money(self) -> None:
        legal = [take(3), take(4), take(1, 4)]
        self.assertEqual(self.player.decide(request(Money(), legal)), 2)

    def test_it_pays_a_little_too_much_but_not_a_lot(self) -> None:
        legal = [take(4), buy(CURRENCY_ORANGE, 3, 8), buy(CURRENCY_BLUE, 9)]
        hand = Money(blue=[9], orange=[3, 8])
        self.assertEqual(self.player.decide(request(hand, legal)), 1)
        self.assertEqual(self.player.decide(request(Money(blue=[9]), legal[::2])), 0)

    def test_it_keeps_what_it_buys(self) -> None:
        legal = [buy(CURRENCY_ORANGE, 3, 8, give=give) for give in (True, False)]
        self.assertEqual(self.player.decide(request(Money(orange=[3, 8]), legal)), 1)

    def test_it_passes_when_nothing_else_is_legal(self) -> None:
        legal = [Decision(**{"pass": Pass()})]
        self.assertEqual(self.player.decide(request(Money(), legal)), 0)
