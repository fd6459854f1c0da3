"""A bot as a program: plays one match, and says in one sentence how it ended."""

import sys
from collections.abc import Callable
from typing import NoReturn

from bridgemaster.v1.match_pb2 import MatchResult

from .bot import Bot
from .connection import play
from .errors import PlayError
from .terminal import shown

FAILED = 1
"""Exit code of a bot that could not play to the end."""
INTERRUPTED = 130
"""Exit code of a bot that was stopped by Ctrl-C, as shells give it."""


def run(bot: Bot) -> NoReturn:
    """Play the match that the environment names, and end the program.

    What the bot itself raises is raised here, so that its author sees where.
    """
    sys.exit(told(bot.name, lambda: play(bot)))


def told(name: str, playing: Callable[[], MatchResult]) -> int:
    """Play, say how it ended, and return the exit code."""
    try:
        result = playing()
    except PlayError as error:
        print(f"{name}: error: {shown(error)}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return INTERRUPTED
    places = ", ".join(
        f"seat {seat.seat}: place {seat.place} with {seat.score}" for seat in result.seats
    )
    print(f"{name}: match {shown(result.match_id)} is over; {places}")
    return 0
