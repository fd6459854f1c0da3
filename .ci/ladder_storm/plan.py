"""What goes wrong, and when."""

import random
from dataclasses import dataclass, field
from enum import Enum, auto


class Trouble(Enum):
    """What goes wrong."""

    KILL_SERVER = auto()
    KILL_BOT = auto()
    CUT_LINK = auto()


@dataclass(order=True, frozen=True)
class Event:
    """Something goes wrong once so many matches count."""

    at: int
    number: int
    what: Trouble = field(compare=False)


@dataclass(frozen=True)
class Plan:
    """All that goes wrong until so many matches count, in its order."""

    matches: int
    events: list[Event]
    luck: random.Random
    """For what is chosen in the course: which bot, which link, how."""

    @classmethod
    def drawn(cls, seed: int, matches: int, kills: int, restarts: int, cuts: int) -> "Plan":
        """Draw a plan from a seed."""
        luck = random.Random(seed)
        all_of_it = (
            [Trouble.KILL_SERVER] * kills
            + [Trouble.KILL_BOT] * restarts
            + [Trouble.CUT_LINK] * cuts
        )
        events = [
            Event(luck.randrange(matches), number, what) for number, what in enumerate(all_of_it)
        ]
        return cls(matches, sorted(events), luck)
