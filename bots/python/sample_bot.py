"""A bot for every game that reads observations and gives some complete decisions."""

import argparse

import bridgemaster

from sample import SampleBot

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="seed for reproducible choices")
    seed = parser.parse_args().seed

    class Seeded(SampleBot):
        """A bot with the seed of the command line."""

        def __init__(self) -> None:
            """Pass the seed."""
            super().__init__(seed)

    # Pass the class, so that each match of a queue gets its own bot.
    bridgemaster.run(Seeded)
