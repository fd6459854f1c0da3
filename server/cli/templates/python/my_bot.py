"""A bot that plays every game."""

import bridgemaster


class MyBot(bridgemaster.Bot):
    """Chooses the legal decision in the middle of the list."""

    name = "my-bot"
    version = "0.1"

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Return the index of a legal decision, or a complete decision.

        `request.observation` has the observation of this seat, and `request.legal_decisions` its
        legal decisions. Typed versions are in the field of the game, such as
        `request.game.alhambra.observation`.
        `request.clock` has the remaining time.
        """
        return request.legal_count // 2


if __name__ == "__main__":
    # Pass the class, because each match has its own instance of the bot.
    bridgemaster.run(MyBot)
