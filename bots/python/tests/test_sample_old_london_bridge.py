"""Choices of the sample bot in Old London Bridge."""

import unittest

from bridgemaster import Request
from bridgemaster.games.old_london_bridge.v1.components_pb2 import (
    KIND_CHAPEL,
    KIND_GATE,
    KIND_GUILDHALL,
    KIND_HABERDASHERY,
    KIND_INN,
    KIND_PARK,
    PlayedCards,
    Raises,
)
from bridgemaster.games.old_london_bridge.v1.config_pb2 import Edition
from bridgemaster.games.old_london_bridge.v1.decision_pb2 import (
    SPOT_CENTRE,
    SPOT_OUTER,
    Decision,
    Place,
    TakeA2,
    TakeCards,
    UseTile,
)
from bridgemaster.games.old_london_bridge.v1.observation_pb2 import Observation
from bridgemaster.v1.play_pb2 import DecisionRequest, MatchStarted

from sample import SampleBot

RING = (KIND_CHAPEL, KIND_INN, KIND_GUILDHALL, KIND_GATE, KIND_HABERDASHERY, KIND_PARK)


def request(observation: Observation, legal: list[Decision]) -> Request:
    """Create a request of this game."""
    message = {"observation": observation, "legal_decisions": legal}
    return Request(DecisionRequest(game={"old_london_bridge": message}, legal_count=len(legal)))


def turn(step: str) -> Observation:
    """Create an observation of a turn at `step`, with the X space at the chapel."""
    stacks = [{"kind": kind} for kind in RING]
    return Observation(turn={step: {}}, stacks=stacks, orientation=0)


class SampleBotTest(unittest.TestCase):
    """The sample bot, given observations."""

    def setUp(self) -> None:
        self.bot = SampleBot(seed=1)
        edition = Edition(ring=RING, rondel_incomes=[0, 1, 2, 3, 2, 1])
        self.bot.match_started(
            MatchStarted(config={"game": {"old_london_bridge": {"edition": edition}}})
        )

    def choosing(self, seats: int) -> Observation:
        return Observation(
            viewer_seat=1, seats=[{"hand": [1, 2, 0, 2, 0]}] * seats, choose_cards={}
        )

    def test_it_plays_its_highest_card(self) -> None:
        choice = self.bot.decide(request(self.choosing(seats=3), []))
        self.assertEqual(choice, Decision(play_cards=PlayedCards(first=3)))

    def test_it_plays_its_two_highest_cards_at_a_two_seat_table(self) -> None:
        choice = self.bot.decide(request(self.choosing(seats=2), []))
        self.assertEqual(choice, Decision(play_cards=PlayedCards(first=3, second=3)))

    def test_it_takes_a_2_and_raises_nothing(self) -> None:
        choice = self.bot.decide(request(Observation(take_a_2={}), []))
        self.assertEqual(choice, Decision(take_a_2=TakeA2(used=True)))
        choice = self.bot.decide(request(Observation(raise_cards={}), []))
        self.assertEqual(choice, Decision(raise_cards=Raises()))

    def test_it_places_where_the_income_is_highest(self) -> None:
        legal = [
            Decision(place=Place(spot=SPOT_CENTRE, stack=KIND_CHAPEL)),
            Decision(place=Place(spot=SPOT_OUTER, stack=KIND_INN)),
            Decision(place=Place(spot=SPOT_OUTER, stack=KIND_GATE)),
            Decision(place=Place(spot=SPOT_OUTER, stack=KIND_HABERDASHERY)),
        ]
        self.assertEqual(self.bot.decide(request(turn("place"), legal)), 2)
        turned = turn("place")
        turned.orientation = 1  # The guildhall faces the £1 space, the gate the £2, and so on.
        self.assertEqual(self.bot.decide(request(turned, legal)), 3)

    def test_it_places_before_it_uses_a_tile(self) -> None:
        legal = [
            Decision(place=Place(spot=SPOT_CENTRE, stack=KIND_CHAPEL)),
            Decision(use_tile=UseTile(tile="TILE_KIND_GATE_PLUS_2")),
        ]
        self.assertEqual(self.bot.decide(request(turn("place"), legal)), 0)

    def test_it_uses_a_tile_before_it_ends_its_turn(self) -> None:
        legal = [Decision(use_tile=UseTile(tile="TILE_KIND_RECALL")), Decision(end={})]
        self.assertEqual(self.bot.decide(request(turn("finish"), legal)), 0)

    def test_it_takes_the_most_valuable_cards(self) -> None:
        legal = [
            Decision(take_cards=TakeCards(cards=cards))
            for cards in ([0, 3, 0, 0, 0], [0, 1, 0, 1, 0], [0, 0, 1, 0, 0])
        ]
        self.assertEqual(self.bot.decide(request(turn("take_cards"), legal)), 1)
