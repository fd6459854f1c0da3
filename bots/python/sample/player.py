"""The player of one game, and its default."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from bridgemaster import Choice, Request
from bridgemaster.v1.game_pb2 import GameConfig


class Player:
    """Plays one match of a game. The default chooses at random; each game has a subclass."""

    def __init__(self, config: GameConfig, chance: random.Random) -> None:
        """Create a player; `chance` breaks ties."""
        self.chance = chance

    def decide(self, request: Request) -> Choice:
        """Return the index of a legal decision, or a complete decision."""
        return self.chance.randrange(request.legal_count)

    def best(self, legal: Sequence[Any], value: Callable[[Any], float]) -> int:
        """Return the index of a decision with the highest value; ties are broken at random."""
        values = [value(decision) for decision in legal]
        highest = max(values)
        return self.chance.choice([i for i, each in enumerate(values) if each == highest])
