"""A bot that plays any game: it draws from the list of legal decisions."""

import argparse
import random

import bridgemaster


class RandomBot(bridgemaster.Bot):
    """Chooses each legal decision with the same probability."""

    name = "python-random"
    version = "1"

    def __init__(self, seed: int | None = None) -> None:
        """Seed the generator: equal seeds choose equally when asked equally."""
        self._random = random.Random(seed)

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Answer by a position in the legal list."""
        return self._random.randrange(request.legal_count)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="makes the bot's choices repeatable")
    seed = parser.parse_args().seed

    class Seeded(RandomBot):
        """Has the seed of the command line."""

        def __init__(self) -> None:
            """Hand it on."""
            super().__init__(seed)

    # The class: each match of a queue gets a bot of its own.
    bridgemaster.run(Seeded)
