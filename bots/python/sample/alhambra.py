"""Alhambra: pays exact prices in full, chooses the rest from the list."""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, TypeAlias

from bridgemaster import Choice, Request
from bridgemaster.games.alhambra.v1.components_pb2 import (
    CURRENCY_BLUE,
    CURRENCY_GREEN,
    CURRENCY_ORANGE,
    CURRENCY_YELLOW,
    Building,
    Currency,
    Purchase,
)
from bridgemaster.games.alhambra.v1.decision_pb2 import Decision
from bridgemaster.games.alhambra.v1.observation_pb2 import Observation

from .player import Player

Slot: TypeAlias = "Currency.ValueType"
"""Each slot of the yard is that of a currency."""

NAMES: dict[Slot, Literal["blue", "green", "orange", "yellow"]] = {
    CURRENCY_BLUE: "blue",
    CURRENCY_GREEN: "green",
    CURRENCY_ORANGE: "orange",
    CURRENCY_YELLOW: "yellow",
}
"""What the fields of a currency are called, in a hand and in the yard."""

MOST_CARDS = 4
"""Most cards of an exact payment that is looked for: more would be a waste of small cards."""

WASTE = 2
"""What each unit paid above the price counts, in units of money."""


class Alhambra(Player):
    """Buys what it can pay exactly, else the best of a purchase and the most money."""

    def decide(self, request: Request) -> Choice:
        """Choose the dearest exact purchase: the dear categories pay most, and the turn goes on."""
        asked = request.game.alhambra
        observation = asked.observation
        buildings = yard(observation)
        purchases = exact_purchases(observation)
        if purchases:
            dearest = max(purchases, key=lambda purchase: buildings[purchase.slot].price)
            return Decision(buy=dearest)
        return self.best(asked.legal_decisions, lambda decision: value(decision, buildings))


def yard(observation: Observation) -> dict[Slot, Building]:
    """Return the buildings of the yard by the slots that have one."""
    slots = {slot: name for slot, name in NAMES.items() if observation.yard.HasField(name)}
    return {slot: getattr(observation.yard, name) for slot, name in slots.items()}


def exact_purchases(observation: Observation) -> list[Purchase]:
    """Return a purchase for each building that the viewer can pay exactly."""
    hand = observation.seats[observation.viewer_seat].hand
    purchases = []
    for slot, building in yard(observation).items():
        payment = exact_payment(getattr(hand, NAMES[slot]), building.price)
        if payment is not None:
            purchases.append(Purchase(slot=slot, payment=payment))
    return purchases


def exact_payment(values: Sequence[int], price: int) -> Sequence[int] | None:
    """Return the fewest cards that are worth exactly the price, if there are any."""
    for count in range(1, MOST_CARDS + 1):
        for cards in combinations(values, count):
            if sum(cards) == price:
                return cards
    return None


def value(decision: Decision, buildings: dict[Slot, Building]) -> int:
    """Return what a decision brings, in units of money."""
    kind = decision.WhichOneof("decision")
    if kind == "take":
        return sum(card.value for card in decision.take.cards)
    if kind == "buy" and not decision.buy.give:
        price = buildings[decision.buy.slot].price
        return price - WASTE * (sum(decision.buy.payment) - price)
    # A building for the dummy, or a pass, which is the only decision where it is legal.
    return -WASTE * sum(decision.buy.payment)
