"""What the sample bot needs of a game."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from bridgemaster import Choice, Request
from bridgemaster.v1.game_pb2 import GameConfig


class Player:
    """Plays one match of a game. Here: any legal decision; each game has a player that looks."""

    def __init__(self, config: GameConfig, chance: random.Random) -> None:
        """Take the config of the match, and what breaks ties."""
        self.chance = chance

    def decide(self, request: Request) -> Choice:
        """Return the position of a legal decision, or a decision in full."""
        return self.chance.randrange(request.legal_count)

    def best(self, legal: Sequence[Any], value: Callable[[Any], float]) -> int:
        """Return the position of a decision of the highest value, by chance among equals."""
        values = [value(decision) for decision in legal]
        highest = max(values)
        return self.chance.choice([i for i, each in enumerate(values) if each == highest])
