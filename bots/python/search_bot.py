"""A bot that searches every game without knowing its rules, by playouts of `RulesService`.

It uses sequential halving: each legal decision gets some playouts, then the worse half is dropped,
until one decision is left or the time is up. Each playout samples the hidden information again. In
games with fast greedy playouts all seats of a playout decide greedily, in others at random.
"""

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue

import bridgemaster
import grpc
from bridgemaster.v1.game_pb2 import GameObservation
from bridgemaster.v1.play_pb2 import MatchStarted
from bridgemaster.v1.rules_service_pb2 import (
    PLAYOUT_POLICY_GREEDY,
    PLAYOUT_POLICY_RANDOM,
    OpenSessionRequest,
    OpenSessionResponse,
    RulesApply,
    RulesDecision,
    RulesOperation,
    RulesOutcome,
    RulesPlayouts,
    RulesPosition,
)
from bridgemaster.v1.rules_service_pb2_grpc import RulesServiceStub

ROOT = 0
"""Number of the position to search; the position after decision `i` has the number `i + 1`."""
BATCH = 8
"""Number of random playouts of each decision per round. A greedy round has one playout of each."""
QUICK_GREEDY = ("old_london_bridge", "alhambra")
"""Games in which several hundred greedy playouts take at most 200 ms."""
MAX_DECISIONS = 400
"""Maximum number of decisions that are searched. Each needs one position of the session."""


class Rules:
    """A session of `RulesService`."""

    def __init__(self, stub: RulesServiceStub, key: str | None) -> None:
        """Open a session with the API key of the bot, if it has one."""
        self._requests: SimpleQueue[OpenSessionRequest | None] = SimpleQueue()
        metadata = (("x-bridgemaster-key", key),) if key else ()
        self._answers = stub.OpenSession(iter(self._requests.get, None), metadata=metadata)

    def run(self, operations: list[RulesOperation]) -> OpenSessionResponse:
        """Run operations; raise `RuntimeError` if one is refused."""
        self._requests.put(OpenSessionRequest(operations=operations))
        response: OpenSessionResponse = next(self._answers)
        last = response.results[-1]
        if last.refusal_reason:
            raise RuntimeError(last.detail)
        return response

    def close(self) -> None:
        """Close the session, and wait until the server has closed it."""
        self._requests.put(None)
        # The interpreter can hang on exit while gRPC still reads a call.
        with suppress(grpc.RpcError):
            for _ in self._answers:
                pass


class SearchBot(bridgemaster.Bot):
    """Searches by playouts, limited by time or by the number of playouts for each decision."""

    name = "python-search"
    version = "1"

    def __init__(self, rules: Rules, seconds: float, playouts: int | None) -> None:
        """Create a bot that searches in the session `rules`."""
        self._rules = rules
        self._seconds = seconds
        self._playouts = playouts
        self._started = MatchStarted()

    def match_started(self, started: MatchStarted) -> None:
        """Store the config of the match, which every position contains."""
        self._started = started

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Choose a decision by sequential halving."""
        end = time.monotonic() + min(self._seconds, request.clock.decision_left_s / 2)
        left = list(range(min(request.legal_count, MAX_DECISIONS)))
        if len(left) == 1:
            return 0
        self._load(request, left)
        total = [0.0] * len(left)
        played = 0
        policy, batch = PLAYOUT_POLICY_RANDOM, BATCH
        if request.game_name in QUICK_GREEDY:
            policy, batch = PLAYOUT_POLICY_GREEDY, 1
        if self._playouts is not None:
            batch = max(1, min(batch, self._playouts // len(left)))
        halvings = (len(left) - 1).bit_length()
        for halving in range(halvings):
            rest_s = (end - time.monotonic()) / (halvings - halving)
            until = time.monotonic() + rest_s
            budget = self._budget(played, halvings - halving)
            played_before = played
            while time.monotonic() < until and played - played_before < budget:
                if request.cancelled.is_set():
                    return left[0]
                # All decisions share a seed, so that luck affects them equally.
                seed = f"{request.request_id}.{played}"
                playouts = RulesPlayouts(playouts=batch, seed=seed, resample=True, policy=policy)
                for decision, outcomes in self._play_out(left, playouts):
                    total[decision] += sum(_score(each, request.seat) for each in outcomes)
                played += batch * len(left)
            left.sort(key=lambda decision: total[decision], reverse=True)
            left = left[: (len(left) + 1) // 2]
        return left[0]

    def _budget(self, played: int, halvings: int) -> float:
        """Return the number of playouts before the next halving."""
        if self._playouts is None:
            return float("inf")
        return (self._playouts - played) / halvings

    def _load(self, request: bridgemaster.Request, decisions: list[int]) -> None:
        """Load the position before the decision, and the positions after each decision."""
        observation = GameObservation()
        getattr(observation, request.game_name).CopyFrom(request.observation)
        position = RulesPosition(
            config=self._started.config,
            observation=observation,
            sample_seed=str(request.request_id),
        )
        operations = [RulesOperation(position_number=ROOT, load=position)]
        for index in decisions:
            apply = RulesApply(decisions=[RulesDecision(seat=request.seat, index=index)])
            number = index + 1
            operations.append(RulesOperation(position_number=number, copy_from_number=ROOT))
            operations.append(RulesOperation(position_number=number, apply=apply))
        self._rules.run(operations)

    def _play_out(
        self, decisions: list[int], playouts: RulesPlayouts
    ) -> Iterator[tuple[int, list[RulesOutcome]]]:
        operations = [
            RulesOperation(position_number=index + 1, play_out=playouts) for index in decisions
        ]
        results = self._rules.run(operations).results
        for index, result in zip(decisions, results, strict=True):
            yield index, list(result.outcomes)


def _score(outcome: RulesOutcome, seat: int) -> float:
    """Return 1 for a win and 0 for a loss, plus a small term for the score."""
    scores = [each.score for each in outcome.seats]
    own = scores.pop(seat)
    best = max(scores, default=0)
    lead = (own - best) / (1 + abs(own) + abs(best))
    places = [each.place for each in outcome.seats]
    beaten = sum(place > places[seat] for place in places) / max(1, len(places) - 1)
    return beaten + lead


@contextmanager
def rules_at(address: str) -> Iterator[Rules]:
    """Open a session at an address such as `http://127.0.0.1:50052` or `unix:/tmp/rules.sock`."""
    target = address.removeprefix("http://")
    options: list[tuple[str, str | int]] = [("grpc.enable_http_proxy", 0)]
    if target.startswith("unix:"):
        # By default grpcio sends the path as the authority, which HTTP/2 servers refuse.
        options.append(("grpc.default_authority", "localhost"))
    with grpc.insecure_channel(target, options=options) as channel:
        rules = Rules(RulesServiceStub(channel), os.environ.get("BRIDGEMASTER_KEY"))
        try:
            yield rules
        finally:
            rules.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds",
        type=float,
        default=0.2,
        help="time for each decision, in seconds (default: 0.2)",
    )
    parser.add_argument(
        "--playouts", type=int, help="playouts for each decision, instead of a time"
    )
    parser.add_argument(
        "--rules",
        default=os.environ.get("BRIDGEMASTER_RULES", "http://127.0.0.1:50052"),
        help="address of `bridgemaster serve rules`, or of a server with `--rules`",
    )
    args = parser.parse_args()
    with rules_at(args.rules) as session:
        seconds = args.seconds if args.playouts is None else 3600.0
        bridgemaster.run(SearchBot(session, seconds, args.playouts))
