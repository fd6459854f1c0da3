"""What is played, and what goes wrong when."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

MOST_SEATS = 3
"""Of a match, so that there are not too many bots."""
FIRST, LAST = 0.03, 0.8
"""Parts of all decisions between which things go wrong, so that all of it happens in play."""
TWO_AT_ONCE = 0.5
"""Share of the troubles that do not wait for the end of the one before."""


class Trouble(Enum):
    """What goes wrong."""

    KILL = "kills"
    """SIGKILL for a node, which is started again at once, or after others took its matches."""
    ZOMBIE = "zombies"
    """SIGSTOP for longer than a lease, then SIGCONT."""
    DATABASE = "restarts of the database"
    """SIGQUIT or SIGKILL, then a start."""
    CUT = "cut links"
    """Between a node and the database: reset, or silent for a while."""
    SLOW = "slow commits"
    """What goes between a node and the database takes seconds, for longer than a lease."""
    HOLD = "held rows"
    """Somebody locks the row of a node for longer than its lease, and then lets it go: as a node
    that takes it over, stands still then, and does nothing in the end."""
    CLOCK = "clock jumps"
    """The clock of one node jumps."""


@dataclass(frozen=True)
class Game:
    """A game, and for how many it is."""

    name: str
    least_seats: int
    most_seats: int


@dataclass(frozen=True)
class Count:
    """How often each thing goes wrong."""

    of: dict[Trouble, int]

    def all(self) -> list[Trouble]:
        """Return each as often as it happens."""
        return [trouble for trouble, count in self.of.items() for _ in range(count)]


@dataclass(order=True, frozen=True)
class Event:
    """Something goes wrong once this part of all decisions is made."""

    at: float
    number: int
    what: Trouble = field(compare=False)
    seed: int = field(compare=False)
    """For what is chosen in its course."""
    overlaps: bool = field(compare=False)
    """The next one does not wait for its end."""


@dataclass(frozen=True)
class PlannedMatch:
    """A match to be played."""

    number: int
    game: str
    seed: str
    players: tuple[str, ...]
    """The kind of bot of each seat."""


@dataclass(frozen=True)
class Plan:
    """All that a seed decides."""

    seed: int
    matches: list[PlannedMatch]
    events: list[Event]

    @classmethod
    def drawn(
        cls,
        seed: int,
        matches: int,
        games: Sequence[Game],
        kinds: Sequence[str],
        logging: int,
        count: Count,
    ) -> "Plan":
        """Draw a plan from a seed; so many kinds of bots, the first, write down what they see."""
        luck = random.Random(f"matches {seed}")
        planned = []
        for number in range(matches):
            game = games[number % len(games)]
            most = max(game.least_seats, min(game.most_seats, MOST_SEATS))
            seats = luck.randint(game.least_seats, most)
            turn = number + number // len(games)
            players = [kinds[turn % logging]]
            players += [kinds[(turn + number + seat) % len(kinds)] for seat in range(1, seats)]
            luck.shuffle(players)
            planned.append(
                PlannedMatch(number, game.name, f"storm-{seed}-{number}", tuple(players))
            )
        luck = random.Random(f"troubles {seed}")
        events = [
            Event(
                luck.uniform(FIRST, LAST),
                number,
                what,
                luck.getrandbits(32),
                luck.random() < TWO_AT_ONCE,
            )
            for number, what in enumerate(count.all())
        ]
        return cls(seed, planned, sorted(events))
