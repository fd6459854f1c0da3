"""A bot for every game that reads observations and gives some complete decisions."""

import random

from bridgemaster import Bot, Choice, Request
from bridgemaster.v1.play_pb2 import MatchStarted

from .alhambra import Alhambra
from .bridges_to_nowhere import BridgesToNowhere
from .carcassonne import Carcassonne
from .old_london_bridge import OldLondonBridge
from .player import Player

PLAYERS: dict[str, type[Player]] = {
    "old_london_bridge": OldLondonBridge,
    "alhambra": Alhambra,
    "bridges_to_nowhere": BridgesToNowhere,
    "carcassonne": Carcassonne,
}
"""The player of each game, by its identifier."""


class SampleBot(Bot):
    """Plays every game of the server."""

    name = "python-sample"
    version = "1"
    games = tuple(PLAYERS)

    def __init__(self, seed: int | None = None) -> None:
        """Create a bot; `seed` is for the generator that breaks ties."""
        self._chance = random.Random(seed)
        self._player: Player | None = None

    def match_started(self, started: MatchStarted) -> None:
        """Create the player of the game that the config names."""
        config = started.config.game
        self._player = PLAYERS[config.WhichOneof("game") or ""](config, self._chance)

    def decide(self, request: Request) -> Choice:
        """Delegate the request to the player of the game."""
        if self._player is None:
            raise RuntimeError("decide was called before match_started")
        return self._player.decide(request)
