"""Matches on one server that is killed, with bots that are killed and connections that are cut."""

import random
import time
from collections import Counter
from enum import Enum
from pathlib import Path

import grpc
from bridgemaster.v1 import match_pb2
from bridgemaster.v1 import match_service_pb2 as calls
from ladder_storm.proxy import BRIEF_CUTS, Cut
from ladder_storm.running import SingleServer
from language_tests.ports import free_port
from language_tests.processes import FailedError, serving

from . import checks, seat_log
from .bots import Kind
from .checks import Played
from .client import CALL_S, Client
from .matches import InProgress, Matches, decisions_of, describe
from .plan import FIRST, LAST, Plan, PlannedMatch

STUCK_S = 300.0
"""Time without a decision after which matches count as stuck."""
AFTER_REQUEST_S = 0.02
"""Maximum time from the poll of the decisions to a kill of the server, so that it hits any
moment."""
PAGE_SIZE = 3
"""Number of matches on a page of a list, so that every run has several pages."""
MIN_INJECTED = 0.75
"""The minimum share of the failures of each kind that must be injected before all matches end."""


class Failure(Enum):
    """A kind of injected failure."""

    KILL_SERVER = "kills of the server"
    KILL_BOT = "kills of bots"
    CUT = "cut connections"


class Chaos:
    """A run of the storm with one server."""

    def __init__(self, program: Path, folder: Path, kinds: dict[str, Kind], at_once: int) -> None:
        """Prepare the run; logs and data are written to the folder."""
        self._program, self._folder, self._kinds = program, folder, kinds
        self._replays = folder / "replays"
        self._matches = Matches(program, folder, kinds, at_once)
        self._decisions: dict[str, int] = {}
        self._done: Counter[str] = Counter()

    def run(self, plan: Plan, kills: int, *, endless_silence: bool) -> str:
        """Play and check the matches, and return the figures."""
        cuts = [*BRIEF_CUTS, *([Cut.ENDLESS_SILENCE] if endless_silence else [])]
        undisturbed = self._without_failures(plan)
        server = SingleServer(self._program, self._folder, "--replays", str(self._replays))
        try:
            self._disturb(plan, server, undisturbed, kills, cuts)
            client = Client(server.urls)
            before = self._matches.played(client)
            server.kill(random.Random(plan.seed))
            played = self._matches.played(client)
            listed = list_all(client)
            server.stop()
        finally:
            self._matches.end_bots()
            server.end()
        server.check_logs()
        wrong = check_list(played, listed)
        for one, earlier in zip(played, before, strict=True):
            if one.file != earlier.file:
                wrong.append(f"{one.match_id}: the replay has changed")
        compared, found = self._check_matches(played, undisturbed)
        wrong += found + self._check_files(played)
        if wrong:
            raise FailedError(describe(wrong))
        done = ", ".join(f"{count} {what}" for what, count in sorted(self._done.items()))
        return (
            f"{len(played)} matches with {sum(map(decisions_of, played))} decisions, "
            f"{compared} compared with the run without failures\n"
            f"{done}; {server.kills_while_starting} more kills during a start, "
            f"{server.starts} starts, {server.accepted()} connections of bots"
        )

    def _without_failures(self, plan: Plan) -> list[Played]:
        with serving(self._program, "--listen", f"127.0.0.1:{free_port()}", "--no-page") as (
            _,
            url,
        ):
            try:
                client = Client([url])
                name = "without-failures"
                self._matches.play(name, plan.matches, client, lambda _: url, STUCK_S)
                return self._matches.played(client)
            finally:
                self._matches.end_bots()

    def _disturb(
        self,
        plan: Plan,
        server: SingleServer,
        undisturbed: list[Played],
        kills: int,
        cuts: list[Cut],
    ) -> None:
        """Play the matches, and inject each failure once a given share of decisions is made."""
        luck = random.Random(f"failures {plan.seed}")
        counts = {
            Failure.KILL_SERVER: kills,
            Failure.KILL_BOT: len(plan.matches) // 2,
            Failure.CUT: 2 * len(plan.matches),
        }
        all_decisions = sum(map(decisions_of, undisturbed))
        failures = [what for what, count in counts.items() for _ in range(count)]
        luck.shuffle(failures)
        moments = sorted(luck.uniform(FIRST, LAST) * all_decisions for _ in failures)
        pending = list(zip(moments, failures, strict=True))
        expected = {one.planned.number: decisions_of(one) for one in undisturbed}
        client = Client(server.urls)

        def progress() -> int:
            server.check()
            for one in self._matches.in_play:
                self._poll(client, one)
            now = sum(expected[one.planned.number] for one in self._matches.over)
            now += sum(
                self._decisions.get(one.created.match_id, 0) for one in self._matches.in_play
            )
            for moment, what in [failure for failure in pending if failure[0] <= now]:
                # Without a target, as right after a kill of the server, it is retried later.
                if self._inject(what, server, luck, cuts):
                    pending.remove((moment, what))
                    self._done[what.value] += 1
            return now - len(pending)

        try:
            bots_url = server.bots_url
            self._matches.play("storm", plan.matches, client, lambda _: bots_url, STUCK_S, progress)
        except FailedError as failure:
            raise FailedError(f"{failure}\n{server.last_log()}") from failure
        for what, count in counts.items():
            done = self._done[what.value]
            if done < MIN_INJECTED * count:
                raise FailedError(f"matches were over after {done} of {count} {what.value}")

    def _poll(self, client: Client, one: InProgress) -> None:
        request = calls.GetMatchRequest(match_id=one.created.match_id)
        try:
            found = client.stubs[0].GetMatch(request, timeout=CALL_S).match.decisions
        except grpc.RpcError:
            # The server has just been restarted.
            return
        self._decisions[one.created.match_id] = found

    def _inject(
        self, what: Failure, server: SingleServer, luck: random.Random, cuts: list[Cut]
    ) -> bool:
        """Inject a failure; return whether there was a target."""
        if what is Failure.KILL_SERVER:
            time.sleep(luck.uniform(0.0, AFTER_REQUEST_S))
            server.kill(luck)
            return True
        if what is Failure.KILL_BOT:
            bots = [
                bot
                for one in self._matches.in_play
                for bot in one.bots
                if not (spares_memory(one.planned) and bot.kind.remembers)
            ]
            return bool(bots) and luck.choice(bots).kill()
        return server.cut(luck.random(), luck.choice(cuts))

    def _check_matches(
        self, played: list[Played], undisturbed: list[Played]
    ) -> tuple[int, list[str]]:
        compared, wrong = 0, []
        for one, other in zip(played, undisturbed, strict=True):
            found = checks.check_replay(self._program, one, self._folder)
            replay = one.replay()
            if replay.config.seed != one.planned.seed:
                found.append(f"the replay has the seed {replay.config.seed}")
            for number, (log, kills) in enumerate(zip(one.logs, one.kills, strict=True)):
                if log is not None:
                    seat = seat_log.read(log)
                    changes = kills > 0 and self._kinds[one.planned.players[number]].remembers
                    found += checks.check_seat(seat, number, replay, may_change_its_mind=changes)
            differs = checks.difference(one, other, self._kinds)
            compared += differs is not None
            found += [differs] if differs else []
            wrong += [f"{one.match_id} of {one.planned.game}: {problem}" for problem in found]
        if compared == 0:
            wrong.append("no match could be compared with the run without failures")
        return compared, wrong

    def _check_files(self, played: list[Played]) -> list[str]:
        wrong = [f"{file} remains" for file in self._replays.glob("*.unfinished")]
        for one in played:
            file = self._replays / f"{one.match_id}.replay.binpb"
            if not file.exists() or file.read_bytes() != one.file:
                wrong.append(f"{file} is not the replay of the match")
        return wrong


def spares_memory(planned: PlannedMatch) -> bool:
    """Return whether bots that remember are not killed, so that the match can be compared."""
    return planned.number % 2 == 0


def list_all(client: Client) -> list[match_pb2.MatchInfo]:
    """Return all matches of the server, page by page."""
    found: list[match_pb2.MatchInfo] = []
    request = calls.ListMatchesRequest(page_size=PAGE_SIZE)
    while True:
        page = client.stubs[0].ListMatches(request, timeout=CALL_S)
        found += page.matches
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token


def check_list(played: list[Played], listed: list[match_pb2.MatchInfo]) -> list[str]:
    """Check that exactly the played matches are listed, each once, with the results of replays."""
    wrong = []
    times = Counter(info.match_id for info in listed)
    if times != Counter(one.match_id for one in played):
        wrong.append(f"the server lists {dict(times)}")
    infos = {info.match_id: info for info in listed}
    for one in played:
        info = infos.get(one.match_id, match_pb2.MatchInfo())
        if info.state != match_pb2.MATCH_STATE_ENDED or info.result != one.replay().result:
            wrong.append(
                f"{one.match_id} is listed with a result that differs from its replay: {info}"
            )
    return wrong
