"""A bot that reads the observations of every game and answers some decisions in full."""

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
"""Who plays which game."""


class SampleBot(Bot):
    """Plays every game of the catalogue."""

    name = "python-sample"
    version = "1"
    games = tuple(PLAYERS)

    def __init__(self, seed: int | None = None) -> None:
        """Seed the generator that breaks ties."""
        self._chance = random.Random(seed)
        self._player: Player | None = None

    def match_started(self, started: MatchStarted) -> None:
        """Seat the player of the game: the entry that is set in the config names it."""
        config = started.config.game
        self._player = PLAYERS[config.WhichOneof("game") or ""](config, self._chance)

    def decide(self, request: Request) -> Choice:
        """Let the player of the game choose."""
        if self._player is None:
            raise RuntimeError("asked before the match has started")
        return self._player.decide(request)
