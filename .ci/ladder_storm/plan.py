"""The disruptions of a ladder, and when they happen."""

import random
from dataclasses import dataclass, field
from enum import Enum, auto


class Disruption(Enum):
    """A kind of injected failure."""

    KILL_SERVER = auto()
    KILL_BOT = auto()
    CUT_LINK = auto()


@dataclass(order=True, frozen=True)
class Event:
    """A disruption that happens once this number of matches counts."""

    at: int
    number: int
    what: Disruption = field(compare=False)


@dataclass(frozen=True)
class Plan:
    """All disruptions until the given number of matches counts, in order."""

    matches: int
    events: list[Event]
    luck: random.Random
    """The random choices of the run: the bots, the connections, and how they are cut."""

    @classmethod
    def from_seed(cls, seed: int, matches: int, kills: int, restarts: int, cuts: int) -> "Plan":
        """Create a plan from a seed."""
        luck = random.Random(seed)
        kinds = (
            [Disruption.KILL_SERVER] * kills
            + [Disruption.KILL_BOT] * restarts
            + [Disruption.CUT_LINK] * cuts
        )
        events = [Event(luck.randrange(matches), number, what) for number, what in enumerate(kinds)]
        return cls(matches, sorted(events), luck)
