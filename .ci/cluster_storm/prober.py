"""Polls all nodes for matches in progress, and records which node claims which match, and when."""

import threading
import time
from dataclasses import dataclass

import grpc
from bridgemaster.v1 import match_pb2
from bridgemaster.v1 import match_service_pb2 as calls

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
    """Polls nodes, with two threads for each node."""

    def __init__(self, names: list[str], urls: list[str]) -> None:
        """Prepare the threads."""
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
                info = stub.GetMatch(request, timeout=ANSWER_S).match
            except grpc.RpcError:
                self.refusals += 1
                continue
            self._decisions[match_id] = max(self.decisions(match_id), info.decisions)
            if info.state in IN_PLAY:
                self.claims.append(Claim(name, match_id, requested, time.time()))
