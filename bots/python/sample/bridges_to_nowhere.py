"""Bridges to Nowhere: drafts in full, builds by what the structure is worth after each piece."""

from collections.abc import Iterable
from itertools import pairwise

from bridgemaster import Choice, Request
from bridgemaster.games.bridges_to_nowhere.v1.components_pb2 import BridgeCard, Card, Placement
from bridgemaster.games.bridges_to_nowhere.v1.decision_pb2 import Decision
from bridgemaster.games.bridges_to_nowhere.v1.observation_pb2 import Observation, SeatView

from .player import Player

LAST_ROUND = 3
"""The round in which the pillars are placed; earlier they would only stop runs from growing."""

CHANCE_BY_PILLARS = (0.4, 0.7, 1.0)
"""How much of its points a run counts for with 0, 1 or 2 pillars beside it."""

Structure = dict[tuple[int, int], Placement]
"""The pieces of a structure by level and column."""


class BridgesToNowhere(Player):
    """Takes high numbers, builds long runs, and closes the best ones in the last round."""

    def decide(self, request: Request) -> Choice:
        """Choose by phase: a card while it drafts, a placement or the end while it builds."""
        asked = request.game.bridges_to_nowhere
        observation = asked.observation
        if observation.WhichOneof("phase") == "draft":
            return Decision(take=Card(bridge_card=best_card(observation)))
        own = observation.seats[observation.viewer_seat]
        structure = by_cell(own.structure)
        now = worth(structure)

        def gain(choice: Decision) -> float:
            if choice.HasField("end"):
                return 0
            place = choice.place
            if place.HasField("pillar") and observation.round < LAST_ROUND:
                return -1
            return worth(structure | by_cell([place])) - now

        return self.best(asked.legal_decisions, gain)


def best_card(observation: Observation) -> BridgeCard:
    """Return the open card of the highest number, of those in a style that the viewer has first.

    There is one whenever the viewer is asked: of the six, at most five were taken before.
    """
    own = observation.seats[observation.viewer_seat]
    styles = {card.style for card in bridge_cards(own)}
    return max(observation.open, key=lambda card: card.number + 2 * (card.style in styles))


def bridge_cards(view: SeatView) -> Iterable[BridgeCard]:
    """Return the bridge cards that a seat has taken and not lost."""
    built = (piece.bridge_card for piece in view.structure if piece.HasField("bridge_card"))
    kept = (card.bridge_card for card in view.cards if card.HasField("bridge_card"))
    return [*built, *kept]


def by_cell(placements: Iterable[Placement]) -> Structure:
    """Return placements by their cells."""
    return {(place.level, place.column): place for place in placements}


def worth(structure: Structure) -> float:
    """Return the points that a structure promises: those of each run times a chance."""
    points = 0.0
    for (level, column), piece in structure.items():
        if is_pillar(piece) or is_card(structure, level, column - 1):
            continue
        end = column
        while is_card(structure, level, end):
            end += 1
        pillars = sum((level, beside) in structure for beside in (column - 1, end))
        run = [structure[level, place].bridge_card for place in range(column, end)]
        points += CHANCE_BY_PILLARS[pillars] * run_points(run, level)
    return points


def run_points(run: list[BridgeCard], level: int) -> int:
    """Return what the numbers and symbol pairs of a run score once pillars close it."""
    pairs = sum(left.right == right.left for left, right in pairwise(run))
    return level * sum(card.number for card in run) + 5 * pairs


def is_card(structure: Structure, level: int, column: int) -> bool:
    """Return whether a card lies in a cell."""
    return (level, column) in structure and not is_pillar(structure[level, column])


def is_pillar(piece: Placement) -> bool:
    """Return whether a piece is a pillar."""
    return piece.HasField("pillar")
