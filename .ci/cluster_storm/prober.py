"""Asks every node after matches in play, all the time: who says that he has one, and when."""

import threading
import time
from dataclasses import dataclass

import grpc
from bridgemaster.v1 import match_pb2
from bridgemaster.v1 import match_service_pb2 as calls

from .desk import Desk

PAUSE_S = 0.1
"""Between two questions to a node."""
ANSWER_S = 20.0
"""Time for an answer: a node that stands still answers when it wakes."""
IN_PLAY = (match_pb2.MATCH_STATE_WAITING, match_pb2.MATCH_STATE_RUNNING)


@dataclass(frozen=True)
class Claim:
    """A node said that a match is in play with it."""

    node: str
    match_id: str
    asked: float
    answered: float


class Prober:
    """A thread for each node."""

    def __init__(self, names: list[str], urls: list[str]) -> None:
        """Ask nothing yet."""
        self.claims: list[Claim] = []
        self.refusals = 0
        self._matches: list[str] = []
        self._decisions: dict[str, int] = {}
        self._is_over = threading.Event()
        # Two for each, so that one still asks while the other waits for a node that stands still.
        self._threads = [
            threading.Thread(target=self._ask, args=(name, url, turn), daemon=True)
            for name, url in zip(names, urls, strict=True)
            for turn in range(2)
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def watch(self, match_ids: list[str]) -> None:
        """Ask after these from now on."""
        self._matches = match_ids

    def decisions(self, match_id: str) -> int:
        """Return how many decisions of a match were told last."""
        return self._decisions.get(match_id, 0)

    def end(self) -> None:
        """Ask no more."""
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, name: str, url: str, turn: int) -> None:
        stub = Desk([url]).stubs[0]
        while not self._is_over.wait(PAUSE_S):
            matches = self._matches
            if not matches:
                continue
            turn += 1
            match_id = matches[turn % len(matches)]
            asked = time.time()
            try:
                request = calls.GetMatchRequest(match_id=match_id)
                info = stub.GetMatch(request, timeout=ANSWER_S).match
            except grpc.RpcError:
                self.refusals += 1
                continue
            self._decisions[match_id] = max(self.decisions(match_id), info.decisions)
            if info.state in IN_PLAY:
                self.claims.append(Claim(name, match_id, asked, time.time()))
