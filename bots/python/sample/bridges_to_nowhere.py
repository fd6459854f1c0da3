"""Bridges to Nowhere: drafts by number, builds by the expected points of each placement."""

from collections.abc import Iterable
from itertools import pairwise

from bridgemaster import Choice, Request
from bridgemaster.games.bridges_to_nowhere.v1.components_pb2 import BridgeCard, Card, Placement
from bridgemaster.games.bridges_to_nowhere.v1.decision_pb2 import Decision
from bridgemaster.games.bridges_to_nowhere.v1.observation_pb2 import Observation, SeatView

from .player import Player

LAST_ROUND = 3
"""The round in which pillars are placed. Earlier pillars would only stop runs from growing."""

SCORE_CHANCE_BY_PILLARS = (0.4, 0.7, 1.0)
"""Estimated chance that a run scores, with 0, 1 or 2 pillars next to it."""

Structure = dict[tuple[int, int], Placement]
"""The pieces of a structure by level and column."""


class BridgesToNowhere(Player):
    """Takes high numbers, builds long runs, and closes the best ones in the last round."""

    def decide(self, request: Request) -> Choice:
        """Choose by phase: a card in a draft, a placement or the end in a build phase."""
        message = request.game.bridges_to_nowhere
        observation = message.observation
        if observation.WhichOneof("phase") == "draft":
            return Decision(take=Card(bridge_card=best_card(observation)))
        own = observation.seats[observation.viewer_seat]
        structure = by_cell(own.structure)
        now = expected_points(structure)

        def gain(choice: Decision) -> float:
            if choice.HasField("end"):
                return 0
            place = choice.place
            if place.HasField("pillar") and observation.round < LAST_ROUND:
                return -1
            return expected_points(structure | by_cell([place])) - now

        return self.best(message.legal_decisions, gain)


def best_card(observation: Observation) -> BridgeCard:
    """Return the open card with the highest number; a style that the viewer has adds 2.

    There always is one: of the six open cards, at most five were taken before.
    """
    own = observation.seats[observation.viewer_seat]
    styles = {card.style for card in bridge_cards(own)}
    return max(observation.open, key=lambda card: card.number + 2 * (card.style in styles))


def bridge_cards(view: SeatView) -> Iterable[BridgeCard]:
    """Return the bridge cards that a seat has taken and still has."""
    built = (piece.bridge_card for piece in view.structure if piece.HasField("bridge_card"))
    in_hand = (card.bridge_card for card in view.cards if card.HasField("bridge_card"))
    return [*built, *in_hand]


def by_cell(placements: Iterable[Placement]) -> Structure:
    """Return placements by level and column."""
    return {(place.level, place.column): place for place in placements}


def expected_points(structure: Structure) -> float:
    """Return the expected points of a structure: each run's points times its chance to score."""
    points = 0.0
    for (level, column), piece in structure.items():
        if is_pillar(piece) or is_card(structure, level, column - 1):
            continue
        end = column
        while is_card(structure, level, end):
            end += 1
        pillars = sum((level, beside) in structure for beside in (column - 1, end))
        run = [structure[level, place].bridge_card for place in range(column, end)]
        points += SCORE_CHANCE_BY_PILLARS[pillars] * run_points(run, level)
    return points


def run_points(run: list[BridgeCard], level: int) -> int:
    """Return the score of a run, by its numbers and symbol pairs, once pillars close it."""
    pairs = sum(left.right == right.left for left, right in pairwise(run))
    return level * sum(card.number for card in run) + 5 * pairs


def is_card(structure: Structure, level: int, column: int) -> bool:
    """Return whether a card lies in a cell."""
    return (level, column) in structure and not is_pillar(structure[level, column])


def is_pillar(piece: Placement) -> bool:
    """Return whether a piece is a pillar."""
    return piece.HasField("pillar")
