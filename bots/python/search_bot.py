"""A bot that searches every game without knowing its rules: `RulesService` plays for it.

It gives each legal decision some playouts, drops the worse half, and so on until one is left or the
time is over. What the seat cannot see is drawn anew for each playout. In games where that is quick
all seats decide in playouts by what looks best to them, and else at random.
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
"""Number of the position that is searched; that after the decision `i` has the number `i + 1`."""
BATCH = 8
"""Most random playouts of one decision before the next one has its turn; greedy ones have one."""
QUICK_GREEDY = ("old_london_bridge", "alhambra")
"""Games of which some hundred greedy playouts fit into 200 ms."""
MOST_DECISIONS = 400
"""Decisions that are looked at: each needs a position of its own."""


class Rules:
    """A session of `RulesService`."""

    def __init__(self, stub: RulesServiceStub, key: str | None) -> None:
        """Open a session."""
        self._requests: SimpleQueue[OpenSessionRequest | None] = SimpleQueue()
        metadata = (("x-bridgemaster-key", key),) if key else ()
        self._answers = stub.OpenSession(iter(self._requests.get, None), metadata=metadata)

    def do(self, operations: list[RulesOperation]) -> OpenSessionResponse:
        """Do operations, all of which must succeed."""
        self._requests.put(OpenSessionRequest(operations=operations))
        response: OpenSessionResponse = next(self._answers)
        refused = response.results[-1]
        if refused.refusal_reason:
            raise RuntimeError(refused.detail)
        return response

    def close(self) -> None:
        """Close the session, and wait until the server has closed it too."""
        self._requests.put(None)
        # An interpreter that ends while gRPC still reads a call may hang.
        with suppress(grpc.RpcError):
            for _ in self._answers:
                pass


class SearchBot(bridgemaster.Bot):
    """Searches by playouts, for so many seconds or with so many playouts a decision."""

    name = "python-search"
    version = "1"

    def __init__(self, rules: Rules, seconds: float, playouts: int | None) -> None:
        """Search in a session."""
        self._rules = rules
        self._seconds = seconds
        self._playouts = playouts
        self._started = MatchStarted()

    def match_started(self, started: MatchStarted) -> None:
        """Keep the config of the match: a position has it."""
        self._started = started

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Play the decisions out, drop the worse half, and so on."""
        end = time.monotonic() + min(self._seconds, request.clock.decision_left_s / 2)
        left = list(range(min(request.legal_count, MOST_DECISIONS)))
        if len(left) == 1:
            return 0
        self._put(request, left)
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
            share = self._share(played, halvings - halving)
            begun = played
            while time.monotonic() < until and played - begun < share:
                # One seed for all decisions: they meet the same luck.
                seed = f"{request.request_id}.{played}"
                asked = RulesPlayouts(playouts=batch, seed=seed, resample=True, policy=policy)
                for decision, outcomes in self._play_out(left, asked):
                    total[decision] += sum(_worth(each, request.seat) for each in outcomes)
                played += batch * len(left)
            left.sort(key=lambda decision: total[decision], reverse=True)
            left = left[: (len(left) + 1) // 2]
        return left[0]

    def _share(self, played: int, halvings: int) -> float:
        """Return how many playouts are to be done before the next halving."""
        if self._playouts is None:
            return float("inf")
        return (self._playouts - played) / halvings

    def _put(self, request: bridgemaster.Request, decisions: list[int]) -> None:
        """Put the position before the decision, and those after each decision."""
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
        self._rules.do(operations)

    def _play_out(
        self, decisions: list[int], playouts: RulesPlayouts
    ) -> Iterator[tuple[int, list[RulesOutcome]]]:
        operations = [
            RulesOperation(position_number=index + 1, play_out=playouts) for index in decisions
        ]
        results = self._rules.do(operations).results
        for index, result in zip(decisions, results, strict=True):
            yield index, list(result.outcomes)


def _worth(outcome: RulesOutcome, seat: int) -> float:
    """Return 1 for a win and 0 for a loss, with a little for the score."""
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
        # grpcio would name the path as the authority, which HTTP/2 servers refuse.
        options.append(("grpc.default_authority", "localhost"))
    with grpc.insecure_channel(target, options=options) as channel:
        rules = Rules(RulesServiceStub(channel), os.environ.get("BRIDGEMASTER_KEY"))
        try:
            yield rules
        finally:
            rules.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.2, help="time for a decision")
    parser.add_argument("--playouts", type=int, help="so many for a decision, whatever the time")
    parser.add_argument(
        "--rules",
        default=os.environ.get("BRIDGEMASTER_RULES", "http://127.0.0.1:50052"),
        help="where `bridgemaster rules` listens, or a server with `--rules`",
    )
    args = parser.parse_args()
    with rules_at(args.rules) as session:
        seconds = args.seconds if args.playouts is None else 3600.0
        bridgemaster.run(SearchBot(session, seconds, args.playouts))
