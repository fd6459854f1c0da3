"""Carcassonne: lays tiles next to its own features; answers about meeples with decisions."""

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
"""Step in x and y across each edge."""

ROADS = range(SEGMENT_ROAD_NORTH, SEGMENT_ROAD_WEST + 1)
CITIES = range(SEGMENT_CITY_NORTH, SEGMENT_CITY_WEST + 1)

RESERVE = 2
"""Number of meeples reserved for cities and monasteries."""

Side = tuple[int, int, int]
"""An edge of a tile on the table: x, y, edge."""


class Carcassonne(Player):
    """Extends its own roads and cities, and avoids extending those of other seats."""

    def __init__(self, config: GameConfig, chance: random.Random) -> None:
        """Store the tiles, which are the same during the whole match."""
        super().__init__(config, chance)
        self._tiles = tiles_by_kind(config.carcassonne)

    def decide(self, request: Request) -> Choice:
        """Choose by the phase of the turn."""
        message = request.game.carcassonne
        observation = message.observation
        legal = list(message.legal_decisions)
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
        min_value = 2 if supply <= RESERVE else 1
        if segment_value(best.meeple.segment) < min_value:
            return MeepleChoice(none=NoMeeple())
        return best.meeple


def segment_value(segment: int) -> int:
    """Return the value of a segment for a meeple; least for a field, where it stays to the end."""
    if segment == SEGMENT_MONASTERY:
        return 3
    if segment in CITIES:
        return 2
    return 1 if segment in ROADS else 0


class Table:
    """The roads and cities on the table, with their meeples."""

    def __init__(self, observation: Observation, tiles: list[Tile]) -> None:
        """Find the segments of all tiles as placed, and the meeples on the joined features."""
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
        """Return the value of a cell for a tile, by its neighbours."""
        value = 0
        for edge in STEPS:
            beyond = across((place.x, place.y, edge))
            # A cell with many neighbours is hard to fill later.
            value += beyond[:2] in self._cells
            value += 3 * self._ownership(beyond)
        for monastery in self._monasteries:
            if max(abs(monastery.x - place.x), abs(monastery.y - place.y)) == 1:
                value += 1 if monastery.seat == self._viewer else -1
        return value

    def crossing_gain(self, choice: DrawbridgeChoice) -> int:
        """Return the value of sending a meeple to a city: positive if it can gain the majority."""
        if choice.HasField("home"):
            return 0
        gate = choice.gate
        return -1 if self._ownership((gate.x, gate.y, gate.city)) == 1 else 1

    def _ownership(self, side: Side) -> int:
        """Return 1 for a feature of the viewer, -1 for one of other seats, 0 for an empty one."""
        meeples = self._meeples.get(side)
        if not meeples:
            return 0
        return 1 if meeples[self._viewer] == max(meeples.values()) else -1

    def _feature(self, start: Side) -> set[Side]:
        """Return all sides of the road or city that contains a side."""
        found: set[Side] = set()
        ahead = [start]
        while ahead:
            for side in self._segments.get(ahead.pop(), []):
                if side not in found:
                    found.add(side)
                    ahead.append(across(side))
        return found


def tiles_by_kind(config: Config) -> list[Tile]:
    """Return the tile of each kind; the first is TILE_KIND_A (1)."""
    return [*(base.tile for base in config.base_tiles), *config.edition.tiles]


def turned(edge: int, quarter_turns: int) -> int:
    """Return the direction of an edge after the tile is turned clockwise."""
    return (edge - EDGE_NORTH + quarter_turns) % len(STEPS) + EDGE_NORTH


def across(side: Side) -> Side:
    """Return the adjacent side of the neighbouring tile."""
    x, y, edge = side
    step_x, step_y = STEPS[edge]
    return x + step_x, y + step_y, turned(edge, 2)


def side_of(meeple: Meeple) -> Side:
    """Return a side of the road or city of a meeple; for other meeples, an edge 0."""
    for segments in (ROADS, CITIES):
        if meeple.segment in segments:
            return meeple.x, meeple.y, EDGE_NORTH + segments.index(meeple.segment)
    return meeple.x, meeple.y, 0
