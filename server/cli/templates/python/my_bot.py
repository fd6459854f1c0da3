"""A bot that plays every game."""

import bridgemaster


class MyBot(bridgemaster.Bot):
    """Takes the legal decision in the middle of the list."""

    name = "my-bot"
    version = "0.1"

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Answer a request: with a position in the list of legal decisions, or in full.

        The request has all that there is to know. `request.observation` is what this seat sees,
        `request.legal_decisions` are what it may do; with types they are in the entry of the game,
        such as `request.game.alhambra.observation`. `request.clock` tells the time that is left.
        """
        return request.legal_count // 2


if __name__ == "__main__":
    # The class, not an object: each match gets a bot of its own.
    bridgemaster.run(MyBot)
