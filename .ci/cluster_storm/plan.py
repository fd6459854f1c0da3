"""The plan of a storm: its matches and its disruptions."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

MAX_SEATS = 3
"""Maximum number of seats per match, which limits the number of bots."""
FIRST, LAST = 0.03, 0.8
"""The range of progress in which disruptions start, as shares of all decisions."""
OVERLAPPING = 0.5
"""The share of disruptions during which the next one may start."""


class Disruption(Enum):
    """A kind of injected failure."""

    KILL = "kills"
    """SIGKILL for a node, which is restarted at once, or after others took over its matches."""
    ZOMBIE = "zombies"
    """SIGSTOP for longer than a lease, then SIGCONT."""
    DATABASE = "restarts of the database"
    """SIGQUIT or SIGKILL, then a start."""
    CUT = "cut links"
    """Connections between a node and the database are reset, or silent for a while."""
    TERMINATE = "terminated sessions"
    """PostgreSQL ends the session that renews the lease of a node, or all sessions."""
    SLOW = "slow commits"
    """Messages between a node and the database take seconds, for longer than a lease."""
    HOLD = "held rows"
    """The row of a node is locked for longer than its lease, and then released, as by a node that
    is suspended during a takeover and does not complete it."""
    CLOCK = "clock jumps"
    """The clock of one node jumps."""
    FORWARDER = "failures of the forwarding node"
    """The node through which some bots connect is suspended, slow, or killed."""


@dataclass(frozen=True)
class Game:
    """A game, with its numbers of seats."""

    name: str
    min_seats: int
    max_seats: int


@dataclass(frozen=True)
class Count:
    """The number of disruptions of each kind."""

    of: dict[Disruption, int]

    def all(self) -> list[Disruption]:
        """Return a list that contains each kind as often as it occurs."""
        return [disruption for disruption, count in self.of.items() for _ in range(count)]


@dataclass(order=True, frozen=True)
class Event:
    """A disruption that starts once this share of all decisions is made."""

    at: float
    number: int
    what: Disruption = field(compare=False)
    seed: int = field(compare=False)
    """The seed of the random choices in the disruption."""
    overlaps: bool = field(compare=False)
    """The next disruption does not wait for its end."""


@dataclass(frozen=True)
class PlannedMatch:
    """A match to play."""

    number: int
    game: str
    seed: str
    players: tuple[str, ...]
    """The kind of bot of each seat."""
    is_forwarded: bool
    """Whether the bots connect through the forwarding node, and have little time to decide."""


@dataclass(frozen=True)
class Plan:
    """Everything that depends on the seed."""

    seed: int
    matches: list[PlannedMatch]
    events: list[Event]

    @classmethod
    def from_seed(
        cls,
        seed: int,
        matches: int,
        games: Sequence[Game],
        kinds: Sequence[str],
        logging: int,
        count: Count,
    ) -> "Plan":
        """Create a plan from a seed; the first `logging` kinds of bots are those with a log.

        Without failures of the forwarding node, no match is forwarded.
        """
        luck = random.Random(f"matches {seed}")
        planned = []
        has_forwarder = count.of.get(Disruption.FORWARDER, 0) > 0
        for number in range(matches):
            game = games[number % len(games)]
            most = max(game.min_seats, min(game.max_seats, MAX_SEATS))
            seats = luck.randint(game.min_seats, most)
            turn = number + number // len(games)
            players = [kinds[turn % logging]]
            players += [kinds[(turn + number + seat) % len(kinds)] for seat in range(1, seats)]
            luck.shuffle(players)
            name = f"storm-{seed}-{number}"
            is_forwarded = has_forwarder and number % 2 == 1
            planned.append(PlannedMatch(number, game.name, name, tuple(players), is_forwarded))
        luck = random.Random(f"troubles {seed}")
        events = [
            Event(
                luck.uniform(FIRST, LAST),
                number,
                what,
                luck.getrandbits(32),
                luck.random() < OVERLAPPING,
            )
            for number, what in enumerate(count.all())
        ]
        return cls(seed, planned, sorted(events))
