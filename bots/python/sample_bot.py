"""A bot that plays every game: it reads what its seat knows, and answers some decisions in full."""

import argparse

import bridgemaster

from sample import SampleBot

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="makes the bot's choices repeatable")
    seed = parser.parse_args().seed

    class Seeded(SampleBot):
        """Has the seed of the command line."""

        def __init__(self) -> None:
            """Hand it on."""
            super().__init__(seed)

    # The class: each match of a queue gets a bot of its own.
    bridgemaster.run(Seeded)
