"""Nodes that serve a ladder, each behind a proxy for its bots."""

import random
import secrets
import signal
import time
from pathlib import Path

from ladder_storm.proxy import Cut, Proxy
from language_tests.database import Postgres
from language_tests.processes import FailedError, wait_until

from .nodes import Nodes

MAX_DOWNTIME_S = 15.0
"""Maximum downtime of a killed node: its lease, the takeover by other nodes, and a margin."""


class LadderNodes:
    """Three nodes with a PostgreSQL in a folder, as the servers of a ladder."""

    def __init__(self, program: Path, folder: Path) -> None:
        """Start the database and the nodes."""
        database = folder / "database"
        database.mkdir()
        # The database user must be able to enter it.
        folder.chmod(0o755)
        self._postgres = Postgres(database, secrets.token_hex(16))
        self._postgres.start()
        self._postgres.create_database()
        self.store = ["--store", self._postgres.url()]
        self._nodes = Nodes(program, folder, self._postgres, "--require-keys")
        self._proxies = []
        for node in self._nodes.all:
            proxy = Proxy()
            proxy.forward_to(node.url)
            self._proxies.append(proxy)
        self._nodes.start()
        self.urls = [node.url for node in self._nodes.all]
        self.bots_url = ",".join(proxy.url for proxy in self._proxies)

    def kill(self, luck: random.Random) -> None:
        """Kill a node, most often the leader, and restart it at once or after some time."""
        leader = self._leader() if luck.random() < 0.5 else None
        node = next(
            (node for node in self._nodes.all if node.name == leader), luck.choice(self._nodes.all)
        )
        node.kill()
        # A random moment, since no condition can be waited for.
        time.sleep(luck.choice((0.0, luck.uniform(0.0, MAX_DOWNTIME_S))))
        node.restart()
        wait_until(node.is_listening)

    def cut(self, pick: float, how: Cut) -> bool:
        """Cut a connection of a bot, chosen by a number from 0 to 1; false if there is none."""
        part = pick * len(self._proxies)
        return self._proxies[int(part)].cut(part % 1.0, how)

    def accepted(self) -> int:
        """Return the number of accepted connections of bots."""
        return sum(proxy.accepted for proxy in self._proxies)

    def check(self) -> None:
        """Fail if a node has exited without a valid reason."""
        self._nodes.check()

    def check_logs(self) -> None:
        """Fail if a node panicked."""
        panics = [line for node in self._nodes.all for line in node.check_logs()]
        if panics:
            raise FailedError("\n".join(panics))

    def cpu_s(self) -> float:
        """Return the CPU time of all nodes."""
        return sum(node.cpu_s() for node in self._nodes.all)

    def end(self) -> None:
        """End nodes and database."""
        self._nodes.end()
        self._postgres.stop(signal.SIGINT)

    def _leader(self) -> str | None:
        rows = self._postgres.query("SELECT node_id FROM node WHERE leads")
        return rows[0]["node_id"] if rows else None
