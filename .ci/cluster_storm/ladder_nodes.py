"""Nodes that serve a ladder, each behind a proxy for bots."""

import random
import secrets
import signal
import time
from pathlib import Path

from ladder_storm.links import Cut, Links
from language_tests.database import Postgres
from language_tests.processes import FailedError, until

from .nodes import Nodes

LONGEST_AWAY_S = 15.0
"""How long a node that was killed is away, at most: its lease, until others have what was its, and
some time more."""


class LadderNodes:
    """Three nodes over a PostgreSQL in a folder, as the servers of a ladder."""

    def __init__(self, program: Path, folder: Path) -> None:
        """Start database and nodes."""
        database = folder / "database"
        database.mkdir()
        # The user who runs it goes through the folder.
        folder.chmod(0o755)
        self._postgres = Postgres(database, secrets.token_hex(16))
        self._postgres.start()
        self._postgres.make_database()
        self.store = ["--store", self._postgres.url()]
        self._nodes = Nodes(program, folder, self._postgres, "--require-keys")
        self._links = []
        for node in self._nodes.all:
            links = Links()
            links.lead_to(node.url)
            # Bots that are sent on come through the proxy too.
            node.advertised = links.url.removeprefix("http://")
            self._links.append(links)
        self._nodes.start()
        self.urls = [node.url for node in self._nodes.all]
        self.bots_url = ",".join(links.url for links in self._links)

    def kill(self, luck: random.Random) -> None:
        """Kill one: in two of three cases that which leads. It comes back at once, or later."""
        leader = self._leader() if luck.random() < 0.5 else None
        node = next(
            (node for node in self._nodes.all if node.name == leader), luck.choice(self._nodes.all)
        )
        node.kill()
        # A moment as good as any other, which no condition tells.
        time.sleep(luck.choice((0.0, luck.uniform(0.0, LONGEST_AWAY_S))))
        node.start_again()
        until(node.is_listening)

    def cut(self, pick: float, how: Cut) -> bool:
        """Cut a connection of a bot, a number from 0 to 1 telling which; say if there was one."""
        part = pick * len(self._links)
        return self._links[int(part)].cut(part % 1.0, how)

    def accepted(self) -> int:
        """Return how many connections of bots there were."""
        return sum(links.accepted for links in self._links)

    def must_run(self) -> None:
        """Fail if one has ended as none may."""
        self._nodes.must_be_well()

    def check_logs(self) -> None:
        """Fail if one panicked."""
        said = [line for node in self._nodes.all for line in node.check_logs()]
        if said:
            raise FailedError("\n".join(said))

    def spent_s(self) -> float:
        """Return the processor time of all that ran."""
        return sum(node.spent_s() for node in self._nodes.all)

    def end(self) -> None:
        """End all."""
        self._nodes.end()
        self._postgres.stop(signal.SIGINT)

    def _leader(self) -> str | None:
        rows = self._postgres.ask("SELECT node_id FROM node WHERE leads")
        return rows[0]["node_id"] if rows else None
