"""Old London Bridge: reads the observation and answers some requests with complete decisions."""

import random
from collections.abc import Sequence

from bridgemaster import Choice, Request
from bridgemaster.games.old_london_bridge.v1.components_pb2 import PlayedCards, Raises
from bridgemaster.games.old_london_bridge.v1.config_pb2 import Edition
from bridgemaster.games.old_london_bridge.v1.decision_pb2 import (
    SPOT_CENTRE,
    Decision,
    Place,
    TakeA2,
)
from bridgemaster.games.old_london_bridge.v1.observation_pb2 import Observation
from bridgemaster.v1.game_pb2 import GameConfig

from .player import Player

CENTRE_PRICE = 2
"""Cost of a placement in the centre, in pounds, without a free_centre tile."""


class OldLondonBridge(Player):
    """Plays its highest cards and places for the highest income; other choices are simple."""

    def __init__(self, config: GameConfig, chance: random.Random) -> None:
        """Store the edition, which has the incomes of the rondel."""
        super().__init__(config, chance)
        self._edition: Edition = config.old_london_bridge.edition

    def decide(self, request: Request) -> Choice:
        """Choose by the phase of the round."""
        message = request.game.old_london_bridge
        observation = message.observation
        legal = message.legal_decisions
        phase = observation.WhichOneof("phase")
        if phase == "choose_cards":
            return Decision(play_cards=highest_cards(observation))
        if phase == "take_a_2":
            return Decision(take_a_2=TakeA2(used=True))
        if phase == "raise_cards":
            return Decision(raise_cards=Raises(first=0, second=0))
        step = observation.turn.WhichOneof("step")
        if step == "place":
            return self.best(legal, lambda decision: self._gain(observation, decision))
        if step == "take_cards":
            return self.best(legal, lambda decision: card_value(decision.take_cards.cards))
        if step == "finish":
            # Using a tile is better than the £1 for an unused tile.
            return self.best(legal, lambda decision: decision.HasField("use_tile"))
        # Replacing a building or taking a tile: any decision.
        return self.best(legal, lambda _: 0)

    def _gain(self, observation: Observation, decision: Decision) -> int:
        """Return the money gained by a placement; a tile can be used later."""
        if not decision.HasField("place"):
            return -CENTRE_PRICE - 1
        return placement_gain(observation, self._edition, decision.place)


def highest_cards(observation: Observation) -> PlayedCards:
    """Return the highest card in the viewer's hand, or the two highest with two seats."""
    hand = observation.seats[observation.viewer_seat].hand
    values = [value for value, count in enumerate(hand) for _ in range(count)]
    if len(observation.seats) == 2:
        return PlayedCards(first=values[-1], second=values[-2])
    return PlayedCards(first=values[-1])


def placement_gain(observation: Observation, edition: Edition, place: Place) -> int:
    """Return the immediate income of a placement, in pounds; negative for a cost."""
    if place.spot == SPOT_CENTRE:
        return 0 if place.opening else -CENTRE_PRICE
    kinds = [stack.kind for stack in observation.stacks]
    space = (kinds.index(place.stack) - observation.orientation) % len(kinds)
    return edition.rondel_incomes[space]


def card_value(cards: Sequence[int]) -> int:
    """Return the total value of cards, given their number by value."""
    return sum(value * count for value, count in enumerate(cards))
