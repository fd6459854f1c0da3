"""What a storm would have to go without on this machine."""

from language_tests.database import programs

from .field import is_built, others
from .nodes import FAKETIME
from .plan import Count, Trouble


def missing(count: Count) -> list[str]:
    """Return what is missing, each with how it is had."""
    found = []
    if programs() is None:
        found.append("PostgreSQL: .ci/install installs it")
    found += [
        f"the bot in {name}: .ci/languages {name} builds it"
        for name, command in others().items()
        if not is_built(command)
    ]
    if count.of[Trouble.CLOCK] and not FAKETIME:
        found.append("libfaketime, for the clock that jumps: .ci/install installs it")
    return found
