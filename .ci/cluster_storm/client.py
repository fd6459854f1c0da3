"""Calls that create matches and fetch their replays."""

import time
from dataclasses import dataclass

import grpc
from bridgemaster.v1 import clock_pb2, game_pb2, match_pb2
from bridgemaster.v1 import match_service_pb2 as calls
from bridgemaster.v1.catalog_pb2 import ListGamesRequest
from bridgemaster.v1.catalog_pb2_grpc import CatalogServiceStub
from bridgemaster.v1.match_service_pb2_grpc import MatchServiceStub
from language_tests.processes import TIMEOUT_S, FailedError

from .plan import Game, PlannedMatch

CALL_S = 10.0
"""Timeout of a call; after that another node is called."""
PAUSE_S = 0.2
"""Pause after a failed call."""
HOUR_MS = 3_600_000
FORWARDED_CAP_MS = 4_000
"""Time for a decision of bots behind the forwarding node: shorter than its suspensions, and long
enough for bots that answer at once."""
OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.max_receive_message_length", -1),
)


@dataclass(frozen=True)
class Created:
    """A created match."""

    match_id: str
    tickets: list[str]


class Client:
    """A client of several nodes."""

    def __init__(self, urls: list[str]) -> None:
        """Create the stubs, which connect on their first call."""
        self.stubs = [
            MatchServiceStub(grpc.insecure_channel(url.removeprefix("http://"), options=OPTIONS))
            for url in urls
        ]

    def create(self, planned: PlannedMatch) -> Created:
        """Create a match at the node whose turn it is, or at the next one that answers."""
        request = calls.CreateMatchRequest(
            config=config_of(planned), idempotency_key=f"{planned.seed}-{len(self.stubs)}"
        )
        end_s, node = time.monotonic() + TIMEOUT_S, planned.number
        while True:
            try:
                stub = self.stubs[node % len(self.stubs)]
                created = stub.CreateMatch(request, timeout=CALL_S)
                break
            except grpc.RpcError as error:
                if time.monotonic() > end_s:
                    raise FailedError(f"no match can be created: {error}") from error
                time.sleep(PAUSE_S)
                node += 1
        tickets = {one.seat: one.ticket for one in created.tickets}
        if len(tickets) < len(planned.players):
            raise FailedError(f"a match without tickets: {created}")
        return Created(created.match.match_id, [tickets[seat] for seat in sorted(tickets)])

    def replay(self, match_id: str, node: int) -> bytes:
        """Return the replay file of a match from a node, as soon as it answers."""
        request = calls.GetReplayRequest(match_id=match_id, as_file=True)
        end_s = time.monotonic() + TIMEOUT_S
        while True:
            try:
                answer = self.stubs[node].GetReplay(request, timeout=CALL_S)
                return bytes(answer.file)
            except grpc.RpcError as error:
                if time.monotonic() > end_s:
                    raise FailedError(f"{match_id} has no replay: {error}") from error
                time.sleep(PAUSE_S)


def games_of(url: str) -> list[Game]:
    """Return the games of a server."""
    with grpc.insecure_channel(url.removeprefix("http://"), options=OPTIONS) as channel:
        listed = CatalogServiceStub(channel).ListGames(ListGamesRequest(), timeout=CALL_S)
        return [Game(one.game_id, one.min_seats, one.max_seats) for one in listed.games]


def config_of(planned: PlannedMatch) -> match_pb2.MatchConfig:
    """Return the config of a match, with clocks that do not run out unless lag is charged."""
    game = game_pb2.GameConfig()
    getattr(game, planned.game).SetInParent()
    return match_pb2.MatchConfig(
        game=game,
        seats=len(planned.players),
        seed=planned.seed,
        clock=clock_pb2.ClockRules(
            time_control=clock_pb2.TimeControl(
                fischer=clock_pb2.FischerTimeControl(
                    bank_ms=HOUR_MS,
                    cap_ms=FORWARDED_CAP_MS if planned.is_forwarded else HOUR_MS // 6,
                )
            ),
            startup_ms=HOUR_MS,
            reconnect_ms=HOUR_MS // 6,
        ),
    )
