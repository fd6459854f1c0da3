"""A bot that plays every game: it reads what its seat knows, and answers some decisions in full."""

import argparse

import bridgemaster

from sample import SampleBot

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="makes the bot's choices repeatable")
    bridgemaster.run(SampleBot(parser.parse_args().seed))
