"""Choices of the sample bot in Bridges to Nowhere."""

import random
import unittest

from bridgemaster import Request
from bridgemaster.games.bridges_to_nowhere.v1.components_pb2 import (
    STYLE_CABLE,
    STYLE_TRUSS,
    SYMBOL_BIRD,
    SYMBOL_BOAT,
    SYMBOL_FISH,
    BridgeCard,
    Card,
    Monument,
    Pillar,
    Placement,
)
from bridgemaster.games.bridges_to_nowhere.v1.decision_pb2 import Decision, EndBuilding
from bridgemaster.games.bridges_to_nowhere.v1.observation_pb2 import Observation
from bridgemaster.v1.game_pb2 import GameConfig
from bridgemaster.v1.play_pb2 import DecisionRequest

from sample.bridges_to_nowhere import BridgesToNowhere, by_cell, expected_points


def card(number: int, style: int = STYLE_TRUSS, left: int = SYMBOL_FISH) -> BridgeCard:
    """Create a card with a boat on its right."""
    return BridgeCard(style=style, number=number, left=left, right=SYMBOL_BOAT)


def cell(piece: BridgeCard | Pillar | Monument, column: int, level: int = 1) -> Placement:
    """Create a placement of a piece."""
    kinds = {BridgeCard: "bridge_card", Pillar: "pillar", Monument: "monument"}
    return Placement(**{kinds[type(piece)]: piece}, level=level, column=column)


def request(observation: Observation, legal: list[Decision]) -> Request:
    """Create a request of this game."""
    message = {"observation": observation, "legal_decisions": legal}
    return Request(DecisionRequest(game={"bridges_to_nowhere": message}, legal_count=len(legal)))


def building(structure: list[Placement], round_in_play: int) -> Observation:
    """Create the observation of seat 1 in its build phase."""
    return Observation(
        viewer_seat=1, round=round_in_play, build={}, seats=[{}, {"structure": structure}]
    )


class BridgesToNowhereTest(unittest.TestCase):
    """The player of the game, given observations."""

    def setUp(self) -> None:
        self.player = BridgesToNowhere(GameConfig(), random.Random(1))

    def drafted(self, own: list[BridgeCard], table: list[BridgeCard]) -> BridgeCard:
        cards = [Card(bridge_card=each) for each in own]
        seen = Observation(viewer_seat=0, draft={}, open=table, seats=[{"cards": cards}, {}])
        choice = self.player.decide(request(seen, []))
        return choice.take.bridge_card

    def test_it_takes_the_highest_number(self) -> None:
        self.assertEqual(self.drafted([], [card(2), card(7), card(0), card(6)]), card(7))

    def test_it_prefers_a_style_that_it_has(self) -> None:
        in_style = card(6, STYLE_CABLE)
        self.assertEqual(self.drafted([card(1, STYLE_CABLE)], [card(7), in_style]), in_style)

    def test_it_makes_runs_longer(self) -> None:
        seen = building([cell(card(3), 0)], round_in_play=1)
        bird = card(5, left=SYMBOL_BIRD)
        boat = card(5, left=SYMBOL_BOAT)
        legal = [
            Decision(place=cell(bird, 1)),
            Decision(place=cell(boat, 1)),
            Decision(end=EndBuilding()),
        ]
        self.assertEqual(self.player.decide(request(seen, legal)), 1)

    def test_it_keeps_its_pillars_for_the_last_round(self) -> None:
        legal = [Decision(place=cell(Pillar(), 1)), Decision(end=EndBuilding())]
        for round_in_play, choice in ((2, 1), (3, 0)):
            seen = building([cell(card(3), 0)], round_in_play)
            self.assertEqual(self.player.decide(request(seen, legal)), choice)

    def test_it_closes_the_better_run(self) -> None:
        seen = building([cell(card(3), 0), cell(card(5), 2)], round_in_play=3)
        legal = [Decision(place=cell(Pillar(), column)) for column in (-1, 3)]
        self.assertEqual(self.player.decide(request(seen, legal)), 1)

    def test_a_complete_run_is_worth_its_points(self) -> None:
        run = [card(3), card(5, left=SYMBOL_BOAT)]
        pieces = [Pillar(), run[0], run[1], Monument(), Pillar()]
        structure = [cell(piece, column, level=2) for column, piece in enumerate(pieces)]
        self.assertEqual(expected_points(by_cell(structure)), 2 * (3 + 5) + 5)
