"""Polls all nodes for matches in progress, and records which node claims which match, and when."""

import hmac
import threading
import time
from dataclasses import dataclass

import grpc
from bridgemaster.v1 import match_pb2
from bridgemaster.v1 import match_service_pb2 as calls
from language_tests.database import Postgres

from .client import Client

PAUSE_S = 0.1
"""Interval between two requests to a node, in seconds."""
ANSWER_S = 20.0
"""Timeout of a request, in seconds; a suspended node answers after it is resumed."""
IN_PLAY = (match_pb2.MATCH_STATE_WAITING, match_pb2.MATCH_STATE_RUNNING)


@dataclass(frozen=True)
class Claim:
    """The answer of a node that it has a match in progress."""

    node: str
    match_id: str
    requested: float
    answered: float


class Prober:
    """Polls nodes, with two threads for each node.

    The calls look as if another node had forwarded them, so a node answers only for its own
    matches.
    """

    def __init__(self, names: list[str], urls: list[str], postgres: Postgres) -> None:
        """Prepare the threads."""
        self._metadata = (forwarded_by_a_node(postgres),)
        self.claims: list[Claim] = []
        self.refusals = 0
        self._matches: list[str] = []
        self._decisions: dict[str, int] = {}
        self._is_over = threading.Event()
        # Two threads, so that one polls while the other waits for a suspended node.
        self._threads = [
            threading.Thread(target=self._poll, args=(name, url, turn), daemon=True)
            for name, url in zip(names, urls, strict=True)
            for turn in range(2)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def watch(self, match_ids: list[str]) -> None:
        """Set the matches to poll."""
        self._matches = match_ids

    def decisions(self, match_id: str) -> int:
        """Return the last known number of decisions of a match."""
        return self._decisions.get(match_id, 0)

    def end(self) -> None:
        """Stop the threads."""
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _poll(self, name: str, url: str, turn: int) -> None:
        stub = Client([url]).stubs[0]
        while not self._is_over.wait(PAUSE_S):
            matches = self._matches
            if not matches:
                continue
            turn += 1
            match_id = matches[turn % len(matches)]
            requested = time.time()
            try:
                request = calls.GetMatchRequest(match_id=match_id)
                answer = stub.GetMatch(request, timeout=ANSWER_S, metadata=self._metadata)
                info = answer.match
            except grpc.RpcError:
                self.refusals += 1
                continue
            self._decisions[match_id] = max(self.decisions(match_id), info.decisions)
            if info.state in IN_PLAY:
                self.claims.append(Claim(name, match_id, requested, time.time()))


def forwarded_by_a_node(postgres: Postgres) -> tuple[str, str]:
    """Return the metadata of forwarded calls: the nodes' credential and a caller's address."""
    rows = postgres.query(
        "SELECT encode(value, 'hex') AS secret FROM secret WHERE convert_from(name, 'UTF8') = "
        "'node_pass'"
    )
    secret = bytes.fromhex(rows[0]["secret"])
    credential = hmac.new(secret, b"calls that are passed on", "sha256").hexdigest()
    return "bridgemaster-passed-on", f"{credential} 127.0.0.1 -"
