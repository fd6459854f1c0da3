"""Old London Bridge: reads the observation and answers some decisions in full."""

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
"""Pounds that a placement in the centre costs without a free_centre tile."""


class OldLondonBridge(Player):
    """Plays its highest cards and places where that pays most; the rest is simple or chance."""

    def __init__(self, config: GameConfig, chance: random.Random) -> None:
        """Keep the edition: it has the incomes of the rondel, which never change."""
        super().__init__(config, chance)
        self._edition: Edition = config.old_london_bridge.edition

    def decide(self, request: Request) -> Choice:
        """Choose by what the phase of the round waits for."""
        asked = request.game.old_london_bridge
        observation = asked.observation
        legal = asked.legal_decisions
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
            # A tile that is still usable is better used than kept for £1.
            return self.best(legal, lambda decision: decision.HasField("use_tile"))
        # Which building to replace, which tile to take: any will do.
        return self.best(legal, lambda _: 0)

    def _gain(self, observation: Observation, decision: Decision) -> int:
        """Return the money that a placement brings; a tile used before it can wait."""
        if not decision.HasField("place"):
            return -CENTRE_PRICE - 1
        return placement_gain(observation, self._edition, decision.place)


def highest_cards(observation: Observation) -> PlayedCards:
    """Return the highest card in the viewer's hand; at a two-seat table the highest two."""
    hand = observation.seats[observation.viewer_seat].hand
    values = [value for value, count in enumerate(hand) for _ in range(count)]
    if len(observation.seats) == 2:
        return PlayedCards(first=values[-1], second=values[-2])
    return PlayedCards(first=values[-1])


def placement_gain(observation: Observation, edition: Edition, place: Place) -> int:
    """Return the pounds that a placement brings at once; negative when it costs."""
    if place.spot == SPOT_CENTRE:
        return 0 if place.opening else -CENTRE_PRICE
    kinds = [stack.kind for stack in observation.stacks]
    space = (kinds.index(place.stack) - observation.orientation) % len(kinds)
    return edition.rondel_incomes[space]


def card_value(cards: Sequence[int]) -> int:
    """Return the total value of cards that are counted by value."""
    return sum(value * count for value, count in enumerate(cards))
