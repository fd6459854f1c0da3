"""Carcassonne: lays tiles beside its own roads and cities; answers about meeples in full."""

import random
from collections import Counter, defaultdict

from bridgemaster import Choice, Request
from bridgemaster.games.carcassonne.v1.components_pb2 import (
    EDGE_EAST,
    EDGE_NORTH,
    EDGE_SOUTH,
    EDGE_WEST,
    SEGMENT_CITY_NORTH,
    SEGMENT_CITY_WEST,
    SEGMENT_MONASTERY,
    SEGMENT_ROAD_NORTH,
    SEGMENT_ROAD_WEST,
)
from bridgemaster.games.carcassonne.v1.config_pb2 import Config, Tile
from bridgemaster.games.carcassonne.v1.decision_pb2 import (
    Decision,
    DrawbridgeChoice,
    MeepleChoice,
    NoMeeple,
    Placement,
)
from bridgemaster.games.carcassonne.v1.observation_pb2 import Meeple, Observation
from bridgemaster.v1.game_pb2 import GameConfig

from .player import Player

STEPS: dict[int, tuple[int, int]] = {
    EDGE_NORTH: (0, -1),
    EDGE_EAST: (1, 0),
    EDGE_SOUTH: (0, 1),
    EDGE_WEST: (-1, 0),
}
"""The way in x and y over each edge."""

ROADS = range(SEGMENT_ROAD_NORTH, SEGMENT_ROAD_WEST + 1)
CITIES = range(SEGMENT_CITY_NORTH, SEGMENT_CITY_WEST + 1)

RESERVE = 2
"""Meeples that are kept for cities and monasteries."""

Side = tuple[int, int, int]
"""An edge of a tile on the table: x, y, edge."""


class Carcassonne(Player):
    """Lets its own roads and cities grow and those of others not."""

    def __init__(self, config: GameConfig, chance: random.Random) -> None:
        """Keep what the tiles look like, which never changes."""
        super().__init__(config, chance)
        self._tiles = tiles_by_kind(config.carcassonne)

    def decide(self, request: Request) -> Choice:
        """Choose by what the turn waits for."""
        asked = request.game.carcassonne
        observation = asked.observation
        legal = list(asked.legal_decisions)
        phase = observation.WhichOneof("phase")
        if phase == "place_meeple":
            return Decision(meeple=self._meeple(observation, legal))
        table = Table(observation, self._tiles)
        if phase == "place_tile":
            return self.best(legal, lambda decision: table.gain(decision.place))
        return self.best(legal, lambda decision: table.crossing_gain(decision.drawbridge))

    def _meeple(self, observation: Observation, legal: list[Decision]) -> MeepleChoice:
        """Return the best segment for a meeple, or none."""
        supply = observation.seats[observation.viewer_seat].supply
        best = legal[self.best(legal, lambda decision: segment_value(decision.meeple.segment))]
        wanted = 2 if supply <= RESERVE else 1
        if segment_value(best.meeple.segment) < wanted:
            return MeepleChoice(none=NoMeeple())
        return best.meeple


def segment_value(segment: int) -> int:
    """Return how good a segment is for a meeple. On a field it would stay there to the end."""
    if segment == SEGMENT_MONASTERY:
        return 3
    if segment in CITIES:
        return 2
    return 1 if segment in ROADS else 0


class Table:
    """The roads and cities on the table and whose they are."""

    def __init__(self, observation: Observation, tiles: list[Tile]) -> None:
        """Find the segments of all tiles as they lie, and the meeples on the joined features."""
        self._viewer = observation.viewer_seat
        self._cells = {(laid.x, laid.y) for laid in observation.tiles}
        self._segments: dict[Side, list[Side]] = {}
        for laid in observation.tiles:
            tile = tiles[laid.tile - 1]
            edges = [road.edges for road in tile.roads] + [city.edges for city in tile.cities]
            for segment in edges:
                sides = [(laid.x, laid.y, turned(edge, laid.rotation)) for edge in segment]
                self._segments.update((side, sides) for side in sides)
        self._meeples: defaultdict[Side, Counter[int]] = defaultdict(Counter)
        for meeple in observation.meeples:
            for side in self._feature(side_of(meeple)):
                self._meeples[side][meeple.seat] += 1
        self._monasteries = [
            meeple for meeple in observation.meeples if meeple.segment == SEGMENT_MONASTERY
        ]

    def gain(self, place: Placement) -> int:
        """Return how good a cell is for a tile, by what lies round it."""
        value = 0
        for edge in STEPS:
            beyond = across((place.x, place.y, edge))
            # A cell with many neighbours is hard to fill later: better fill it now.
            value += beyond[:2] in self._cells
            value += 3 * self._ownership(beyond)
        for monastery in self._monasteries:
            if max(abs(monastery.x - place.x), abs(monastery.y - place.y)) == 1:
                value += 1 if monastery.seat == self._viewer else -1
        return value

    def crossing_gain(self, choice: DrawbridgeChoice) -> int:
        """Return how good it is to send a meeple to a city: good where that brings the majority."""
        if choice.HasField("home"):
            return 0
        gate = choice.gate
        return -1 if self._ownership((gate.x, gate.y, gate.city)) == 1 else 1

    def _ownership(self, side: Side) -> int:
        """Return 1 for a feature of the viewer, -1 for one of others alone, 0 for nobody's."""
        meeples = self._meeples.get(side)
        if not meeples:
            return 0
        return 1 if meeples[self._viewer] == max(meeples.values()) else -1

    def _feature(self, start: Side) -> set[Side]:
        """Return all sides of the road or city that a side of a tile belongs to."""
        found: set[Side] = set()
        ahead = [start]
        while ahead:
            for side in self._segments.get(ahead.pop(), []):
                if side not in found:
                    found.add(side)
                    ahead.append(across(side))
        return found


def tiles_by_kind(config: Config) -> list[Tile]:
    """Return what each kind of tile looks like, the kind TILE_KIND_A (1) first."""
    return [*(base.tile for base in config.base_tiles), *config.edition.tiles]


def turned(edge: int, quarter_turns: int) -> int:
    """Return where an edge of a tile lies when the tile is turned clockwise."""
    return (edge - EDGE_NORTH + quarter_turns) % len(STEPS) + EDGE_NORTH


def across(side: Side) -> Side:
    """Return the side of the neighbour that a side meets."""
    x, y, edge = side
    step_x, step_y = STEPS[edge]
    return x + step_x, y + step_y, turned(edge, 2)


def side_of(meeple: Meeple) -> Side:
    """Return the side that names the road or city of a meeple; for other meeples, no side."""
    for segments in (ROADS, CITIES):
        if meeple.segment in segments:
            return meeple.x, meeple.y, EDGE_NORTH + segments.index(meeple.segment)
    return meeple.x, meeple.y, 0
