"""Alhambra: answers exact purchases with complete decisions, and the rest from the list."""

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
"""A slot of the yard; each has the building of one currency."""

NAMES: dict[Slot, Literal["blue", "green", "orange", "yellow"]] = {
    CURRENCY_BLUE: "blue",
    CURRENCY_GREEN: "green",
    CURRENCY_ORANGE: "orange",
    CURRENCY_YELLOW: "yellow",
}
"""Names of the field of each currency, in a hand and in the yard."""

MAX_CARDS = 4
"""Maximum number of cards in an exact payment. More cards would waste small values."""

WASTE = 2
"""Penalty for each unit paid above the price, in units of money."""


class Alhambra(Player):
    """Prefers exact purchases; otherwise makes the best purchase or takes the most money."""

    def decide(self, request: Request) -> Choice:
        """Choose the most expensive exact purchase: it scores most, and the turn continues."""
        message = request.game.alhambra
        observation = message.observation
        buildings = yard(observation)
        purchases = exact_purchases(observation)
        if purchases:
            most_expensive = max(purchases, key=lambda purchase: buildings[purchase.slot].price)
            return Decision(buy=most_expensive)
        return self.best(message.legal_decisions, lambda decision: value(decision, buildings))


def yard(observation: Observation) -> dict[Slot, Building]:
    """Return the buildings of the yard by slot."""
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
    """Return the smallest set of cards that is worth exactly the price, or None."""
    for count in range(1, MAX_CARDS + 1):
        for cards in combinations(values, count):
            if sum(cards) == price:
                return cards
    return None


def value(decision: Decision, buildings: dict[Slot, Building]) -> int:
    """Return the value of a decision, in units of money."""
    kind = decision.WhichOneof("decision")
    if kind == "take":
        return sum(card.value for card in decision.take.cards)
    if kind == "buy" and not decision.buy.give:
        price = buildings[decision.buy.slot].price
        return price - WASTE * (sum(decision.buy.payment) - price)
    # A building for the dummy player, or a pass, which is legal only without alternatives.
    return -WASTE * sum(decision.buy.payment)
