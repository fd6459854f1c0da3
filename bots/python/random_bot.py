"""A bot for every game that chooses legal decisions at random."""

import argparse
import random

import bridgemaster


class RandomBot(bridgemaster.Bot):
    """Chooses each legal decision with the same probability."""

    name = "python-random"
    version = "1"

    def __init__(self, seed: int | None = None) -> None:
        """Seed the generator; equal seeds give equal choices for equal requests."""
        self._random = random.Random(seed)

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Answer with an index into the legal decisions."""
        return self._random.randrange(request.legal_count)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="seed for reproducible choices")
    seed = parser.parse_args().seed

    class Seeded(RandomBot):
        """A bot with the seed of the command line."""

        def __init__(self) -> None:
            """Pass the seed."""
            super().__init__(seed)

    # Pass the class, so that each match of a queue gets its own bot.
    bridgemaster.run(Seeded)
