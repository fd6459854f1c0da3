"""A bot that plays any game: it draws from the list of legal decisions."""

import random

from bridgemaster.v1.play_pb2 import DecisionRequest

from .bot import Bot, Choice


class RandomBot(Bot):
    """Chooses each legal decision with the same probability."""

    name = "python-random"
    version = "1"

    def __init__(self, seed: int | None = None) -> None:
        """Seed the generator: equal seeds choose equally when asked equally."""
        self._random = random.Random(seed)

    def decide(self, request: DecisionRequest) -> Choice:
        """Answer by a position in the legal list."""
        return self._random.randrange(request.legal_count)
