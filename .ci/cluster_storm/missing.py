"""The prerequisites of a storm that this machine lacks."""

from language_tests.database import programs

from .bots import is_built, others
from .nodes import FAKETIME
from .plan import Count, Disruption


def missing(count: Count) -> list[str]:
    """Return the missing prerequisites, each with the command that provides it."""
    found = []
    if programs() is None:
        found.append("PostgreSQL: .ci/install installs it")
    found += [
        f"the bot in {name}: .ci/languages {name} builds it"
        for name, command in others().items()
        if not is_built(command)
    ]
    if count.of[Disruption.CLOCK] and not FAKETIME:
        found.append("libfaketime, for the clock that jumps: .ci/install installs it")
    return found
