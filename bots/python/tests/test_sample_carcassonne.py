"""Choices of the sample bot in Carcassonne."""

import random
import unittest

from bridgemaster import Choice, Request
from bridgemaster.games.carcassonne.v1.components_pb2 import (
    EDGE_EAST,
    EDGE_NORTH,
    EDGE_SOUTH,
    EDGE_WEST,
    SEGMENT_CITY_NORTH,
    SEGMENT_FIELD_EAST_LEFT,
    SEGMENT_MONASTERY,
    SEGMENT_ROAD_EAST,
    SEGMENT_ROAD_NORTH,
    TILE_KIND_A,
    TILE_KIND_B,
)
from bridgemaster.games.carcassonne.v1.config_pb2 import BaseTile, Config
from bridgemaster.games.carcassonne.v1.decision_pb2 import (
    Decision,
    DrawbridgeChoice,
    Gate,
    Home,
    MeepleChoice,
    NoMeeple,
    Placement,
)
from bridgemaster.games.carcassonne.v1.observation_pb2 import LaidTile, Meeple, Observation
from bridgemaster.v1.game_pb2 import GameConfig
from bridgemaster.v1.play_pb2 import DecisionRequest

from sample.carcassonne import Carcassonne

# Two kinds of tile: A has a city in the north and a road from east to west, B a monastery.
CITY_AND_ROAD = {
    "cities": [{"edges": [EDGE_NORTH]}],
    "roads": [{"edges": [EDGE_EAST, EDGE_WEST]}],
}
CONFIG = Config(base_tiles=[BaseTile(tile=CITY_AND_ROAD), BaseTile(tile={"monastery": True})])

ME, OTHER = 1, 0


def request(observation: Observation, legal: list[Decision]) -> Request:
    """Create a request of this game."""
    observation.viewer_seat = ME
    message = {"observation": observation, "legal_decisions": legal}
    return Request(DecisionRequest(game={"carcassonne": message}, legal_count=len(legal)))


def laid(x: int, y: int, rotation: int = 0, kind: int = TILE_KIND_A) -> LaidTile:
    """Create a tile on the table."""
    return LaidTile(tile=kind, x=x, y=y, rotation=rotation)


def places(*cells: tuple[int, int]) -> list[Decision]:
    """Create placements of a tile in these cells."""
    return [Decision(place=Placement(x=x, y=y)) for x, y in cells]


class CarcassonneTest(unittest.TestCase):
    """The player, given observations."""

    def setUp(self) -> None:
        self.player = Carcassonne(GameConfig(carcassonne=CONFIG), random.Random(1))

    def place(self, tiles: list[LaidTile], meeples: list[Meeple], legal: list[Decision]) -> int:
        observation = Observation(place_tile={"tile": 1}, tiles=tiles, meeples=meeples)
        return self.player.decide(request(observation, legal))

    def test_it_fills_the_cell_with_the_most_neighbours(self) -> None:
        tiles = [laid(0, 0), laid(1, 1)]
        self.assertEqual(self.place(tiles, [], places((0, 2), (1, 0), (2, 1))), 1)

    def test_it_lengthens_its_own_road_at_the_far_end_and_not_that_of_another(self) -> None:
        tiles = [laid(0, 0), laid(1, 0), laid(0, 5), laid(1, 5)]
        own = Meeple(seat=ME, x=0, y=0, segment=SEGMENT_ROAD_EAST)
        rival = Meeple(seat=OTHER, x=0, y=5, segment=SEGMENT_ROAD_EAST)
        legal = places((2, 5), (2, 0), (0, 1))
        self.assertEqual(self.place(tiles, [own, rival], legal), 1)
        self.assertEqual(self.place(tiles, [rival], legal[::2]), 1)

    def test_it_finds_the_segments_of_turned_tiles(self) -> None:
        # Turned once, the road of the second tile runs from north to south.
        tiles = [laid(0, 0), laid(3, 0, rotation=1)]
        own = Meeple(seat=ME, x=3, y=0, segment=SEGMENT_ROAD_NORTH)
        self.assertEqual(self.place(tiles, [own], places((4, 0), (3, 1), (2, 0))), 1)

    def test_it_surrounds_its_own_monastery(self) -> None:
        tiles = [laid(0, 0), laid(0, 5, kind=TILE_KIND_B), laid(0, -5, kind=TILE_KIND_B)]
        meeples = [
            Meeple(seat=ME, x=0, y=5, segment=SEGMENT_MONASTERY),
            Meeple(seat=OTHER, x=0, y=-5, segment=SEGMENT_MONASTERY),
        ]
        self.assertEqual(self.place(tiles, meeples, places((0, -4), (1, 0), (1, 5))), 2)

    def meeple(self, supply: int, *segments: int) -> Choice:
        legal = [Decision(meeple=MeepleChoice(none=NoMeeple()))]
        legal += [Decision(meeple=MeepleChoice(segment=segment)) for segment in segments]
        observation = Observation(place_meeple={}, seats=[{"supply": 7}, {"supply": supply}])
        return self.player.decide(request(observation, legal))

    def test_it_prefers_monasteries_to_cities_and_cities_to_roads(self) -> None:
        for best, others in [
            (SEGMENT_MONASTERY, [SEGMENT_ROAD_EAST, SEGMENT_CITY_NORTH]),
            (SEGMENT_CITY_NORTH, [SEGMENT_ROAD_EAST, SEGMENT_FIELD_EAST_LEFT]),
            (SEGMENT_ROAD_EAST, [SEGMENT_FIELD_EAST_LEFT]),
        ]:
            chosen = Decision(meeple=MeepleChoice(segment=best))
            self.assertEqual(self.meeple(7, *others, best), chosen)

    def test_it_reserves_its_last_meeples_for_cities_and_monasteries(self) -> None:
        none = Decision(meeple=MeepleChoice(none=NoMeeple()))
        self.assertEqual(self.meeple(2, SEGMENT_ROAD_EAST), none)
        self.assertEqual(self.meeple(7, SEGMENT_FIELD_EAST_LEFT), none)
        city = Decision(meeple=MeepleChoice(segment=SEGMENT_CITY_NORTH))
        self.assertEqual(self.meeple(1, SEGMENT_CITY_NORTH), city)

    def test_it_sends_a_meeple_to_a_city_that_it_does_not_have(self) -> None:
        gates = [Gate(x=0, y=0, city=EDGE_NORTH), Gate(x=3, y=0, city=EDGE_SOUTH)]
        choices = [DrawbridgeChoice(home=Home()), *(DrawbridgeChoice(gate=g) for g in gates)]
        legal = [Decision(drawbridge=choice) for choice in choices]
        tiles = [laid(0, 0), laid(3, 0, rotation=2)]
        own = Meeple(seat=ME, x=0, y=0, segment=SEGMENT_CITY_NORTH)
        observation = Observation(drawbridge={}, tiles=tiles, meeples=[own])
        self.assertEqual(self.player.decide(request(observation, legal)), 2)
        self.assertEqual(self.player.decide(request(observation, legal[:2])), 0)
