"""The main function of a bot program."""

import sys

from bridgemaster.v1.match_pb2 import MatchResult

from ._attend import attend
from ._bot import AnyBot, AsyncBot, Bot
from ._errors import PlayError
from ._options import Options, bot_name, should_attend
from ._play import play
from ._terminal import escape

FAILED = 1
"""Exit code if the match could not be played to its end."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, by the convention of shells."""


def run(
    bot: AnyBot | type[Bot] | type[AsyncBot], options: Options | None = None
) -> MatchResult | None:
    """Run a bot program: play a match, print its outcome on one line, return the result.

    The match is that of the options, or of the environment variables BRIDGEMASTER_SERVER and
    BRIDGEMASTER_TICKET. If no ticket is set and the options or BRIDGEMASTER_QUEUE name a queue, the
    bot attends it instead, as `attend` does, and None is returned.

    If a match cannot be played to its end, the program prints one line to standard error and exits
    with code 1, or with 130 after Ctrl-C. At a prompt or in a notebook, the error is raised
    instead. Exceptions of the bot itself are always raised, with their traceback.
    """
    options = options or Options()
    name = bot_name(options, bot)
    try:
        if should_attend(options):
            attend(bot, options)
            print(f"{escape(name)}: left the queue")
            return None
        result = play(bot() if isinstance(bot, type) else bot, options)
    except PlayError as error:
        if is_interactive():
            raise
        print(f"{escape(name)}: error: {error}", file=sys.stderr)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        if is_interactive():
            raise
        print(f"{escape(name)}: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    places = ", ".join(
        f"seat {seat.seat}: place {seat.place} with {seat.score}" for seat in result.seats
    )
    print(f"{escape(name)}: match {escape(result.match_id)} is over; {places}")
    return result


def is_interactive() -> bool:
    """Return whether the program runs at a prompt or in a notebook, which survives an error."""
    return hasattr(sys, "ps1") or ("IPython" in sys.modules and _in_ipython())


def _in_ipython() -> bool:
    get_ipython = getattr(sys.modules["IPython"], "get_ipython", None)
    return get_ipython is not None and get_ipython() is not None
