"""The body of a bot's program."""

import sys

from bridgemaster.v1.match_pb2 import MatchResult

from ._attend import attend
from ._bot import AnyBot, AsyncBot, Bot
from ._errors import PlayError
from ._options import Options, attends, bot_name
from ._play import play
from ._terminal import shown

FAILED = 1
"""Exit code of a bot that could not play to the end."""
INTERRUPTED = 130
"""Exit code of a bot that was stopped by Ctrl-C, as shells give it."""


def run(
    bot: AnyBot | type[Bot] | type[AsyncBot], options: Options | None = None
) -> MatchResult | None:
    """Be the body of a program: play a match, say in one line how it ended, return the result.

    The match is that of the environment variables BRIDGEMASTER_SERVER and BRIDGEMASTER_TICKET, or
    of the options. Where there is no ticket and a queue is named, by BRIDGEMASTER_QUEUE or the
    options, the bot attends it instead, as `attend` says, and None is returned.

    A match that could not be played to its end ends the program with exit code 1 and one line on
    standard error, and Ctrl-C with 130; at a prompt or in a notebook it is raised. What the bot
    itself raises is raised here, so that its author sees where.
    """
    options = options or Options()
    name = bot_name(options, bot)
    try:
        if attends(options):
            attend(bot, options)
            print(f"{shown(name)}: the queue is left")
            return None
        result = play(bot() if isinstance(bot, type) else bot, options)
    except PlayError as error:
        if is_interactive():
            raise
        print(f"{shown(name)}: error: {error}", file=sys.stderr)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        if is_interactive():
            raise
        print(f"{shown(name)}: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    places = ", ".join(
        f"seat {seat.seat}: place {seat.place} with {seat.score}" for seat in result.seats
    )
    print(f"{shown(name)}: match {shown(result.match_id)} is over; {places}")
    return result


def is_interactive() -> bool:
    """Return whether a person is at a prompt or in a notebook, which outlives an error."""
    return hasattr(sys, "ps1") or ("IPython" in sys.modules and _in_ipython())


def _in_ipython() -> bool:
    get_ipython = getattr(sys.modules["IPython"], "get_ipython", None)
    return get_ipython is not None and get_ipython() is not None
