"""Playing against a scripted server on loopback."""

import asyncio
import io
import logging
import queue
import threading
import unittest
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import grpc

import bridgemaster
from bridgemaster import (
    Advice,
    Answer,
    AsyncBot,
    Bot,
    BrokenSeedCommitmentError,
    Choice,
    NoLegalDecisionError,
    Options,
    PlayError,
    RefusedError,
    Request,
    Resign,
    ServerLostError,
    play_async,
)
from bridgemaster._conversation import MAX_REFUSED_ANSWERS
from bridgemaster.games.old_london_bridge.v1.decision_pb2 import Decision as OldLondonBridgeDecision
from bridgemaster.v1.game_pb2 import GameDecision
from bridgemaster.v1.match_pb2 import SEED_REVEAL_WITH_GROUP, MatchResult
from bridgemaster.v1.play_pb2 import (
    DecisionRejected,
    MatchStarted,
    PlayRequest,
    PlayResponse,
    SeatStatus,
)

from .scripted_server import (
    COMMITMENT,
    HISTORY_ID,
    MATCH_ID,
    SALT,
    SEAT,
    SEED,
    TIMEOUT_S,
    ScriptedServer,
    Stream,
    decision_rejected,
    decision_request,
    match_ended,
    match_started,
    ping,
    within_timeout,
)


class Puppet(Bot):
    """Records the calls of its methods, and answers with choices that the test provides."""

    name = "puppet"
    version = "1.0"
    games = ("old_london_bridge",)

    def __init__(self) -> None:
        """Start without calls and choices."""
        self.calls: list[tuple[str, int]] = []
        self.deciding = threading.Event()
        self.choices: queue.Queue[Choice | Exception] = queue.Queue()

    def decide(self, request: Request) -> Choice:
        self.calls.append(("decide", request.request_id))
        self.deciding.set()
        choice = self.choices.get(timeout=TIMEOUT_S)
        if isinstance(choice, Exception):
            raise choice
        return choice

    def match_started(self, started: MatchStarted) -> None:
        self.calls.append(("started", started.seat))

    def decision_rejected(self, rejected: DecisionRejected) -> None:
        self.calls.append(("rejected", rejected.request_id))

    def seat_changed(self, status: SeatStatus) -> None:
        self.calls.append(("seat", status.seat.seat))

    def match_ended(self, result: MatchResult) -> None:
        self.calls.append(("ended", result.decisions))


class PlayTest(unittest.IsolatedAsyncioTestCase):
    """Each test acts as the server of one bot."""

    async def asyncSetUp(self) -> None:
        self.server = ScriptedServer()
        self.bot = Puppet()
        self.address = await self.server.start()
        self.addAsyncCleanup(self.server.stop)
        # The tests provoke warnings.
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        options = Options(server=self.address, ticket="ticket-7", key="bmk_k_7")
        playing = play_async(self.bot, options)
        self.playing = asyncio.ensure_future(playing)

    async def welcomed_stream(self) -> Stream:
        stream = await self.server.stream()
        await stream.welcome()
        return stream

    async def decision(self, stream: Stream) -> tuple[int, int]:
        """Return request and index of the next message, which must be a decision by index."""
        message = await stream.receive()
        self.assertEqual(message.WhichOneof("message"), "decision", message)
        self.assertEqual(message.decision.WhichOneof("choice"), "index")
        return message.decision.request_id, message.decision.index

    async def deciding(self) -> None:
        """Wait until `decide` of the bot is called."""
        self.assertTrue(await asyncio.to_thread(self.bot.deciding.wait, TIMEOUT_S))

    async def end(self, stream: Stream, sequence: int) -> None:
        """End the match, and check that the bot leaves in order."""
        stream.send(match_ended(sequence))
        self.assertIsNone(await stream.receive())
        stream.end()
        result = await within_timeout(self.playing)
        self.assertEqual(result.decisions, 99)

    async def test_a_whole_match_reaches_the_bot_and_its_answers_the_server(self) -> None:
        stream = await self.server.stream()
        hello = await stream.welcome()
        self.assertEqual(stream.metadata["authorization"], "Bearer ticket-7")
        self.assertEqual(stream.metadata["x-bridgemaster-key"], "bmk_k_7")
        self.assertEqual((hello.bot_name, hello.bot_version), ("puppet", "1.0"))
        self.assertEqual(hello.protocol_revision, 1)
        self.assertEqual(list(hello.games), ["old_london_bridge"])
        self.assertFalse(hello.HasField("last_sequence"))
        self.assertFalse(hello.HasField("history_id"))
        self.assertEqual((len(hello.client_instance_id), hello.stream_number), (32, 1))

        stream.send(match_started(1))
        for request_id, index in ((1, 0), (2, 5)):
            self.bot.choices.put(index)
            stream.send(decision_request(1 + request_id, request_id))
            self.assertEqual(await self.decision(stream), (request_id, index))
        await self.end(stream, 4)
        calls = [("started", SEAT), ("decide", 1), ("decide", 2), ("ended", 99)]
        self.assertEqual(self.bot.calls, calls)

    async def test_a_complete_decision_is_sent_unchanged(self) -> None:
        stream = await self.welcomed_stream()
        decision = GameDecision(old_london_bridge={"take_tile": {"bonus_stack": 2}})
        self.bot.choices.put(decision)
        stream.send(decision_request(1, 1))
        self.assertEqual((await stream.receive()).decision.decision, decision)
        await self.end(stream, 2)

    async def test_a_decision_of_a_game_is_wrapped(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(OldLondonBridgeDecision(take_tile={"bonus_stack": 2}))
        stream.send(decision_request(1, 1))
        decision = GameDecision(old_london_bridge={"take_tile": {"bonus_stack": 2}})
        self.assertEqual((await stream.receive()).decision.decision, decision)
        await self.end(stream, 2)

    async def test_a_note_goes_with_the_answer(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(Answer(3, note="the park is nearly full"))
        stream.send(decision_request(1, 1))
        expected = {"request_id": 1, "index": 3, "note": "the park is nearly full"}
        self.assertEqual(await stream.receive(), PlayRequest(decision=expected))
        await self.end(stream, 2)

    async def test_an_answer_of_the_wrong_type_is_named(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(None)
        stream.send(decision_request(1, 1))
        with self.assertRaisesRegex(TypeError, "decide returned None"):
            await within_timeout(self.playing)

    async def test_a_negative_index_is_named(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(-1)
        stream.send(decision_request(1, 1))
        with self.assertRaisesRegex(ValueError, "decide returned -1"):
            await within_timeout(self.playing)

    async def test_a_message_that_is_not_a_decision_is_named(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(MatchResult())
        stream.send(decision_request(1, 1))
        with self.assertRaisesRegex(TypeError, "MatchResult"):
            await within_timeout(self.playing)

    async def test_a_change_of_a_seat_reaches_the_bot(self) -> None:
        stream = await self.welcomed_stream()
        stream.send(PlayResponse(sequence=1, seat_status={"seat": {"seat": 3}}))
        await self.end(stream, 2)
        self.assertEqual(self.bot.calls, [("seat", 3), ("ended", 99)])

    async def test_a_cancelled_task_leaves_the_match(self) -> None:
        stream = await self.welcomed_stream()
        stream.send(decision_request(1, 1))
        stream.send(ping(1))
        await stream.receive()
        self.playing.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await within_timeout(self.playing)
        self.assertIsNone(await stream.receive())

    async def test_a_request_is_cancelled_by_the_next_one_and_by_the_end_of_the_match(self) -> None:
        requests: list[Request] = []

        def ponder(request: Request) -> Choice:
            requests.append(request)
            self.assertTrue(request.cancelled.wait(TIMEOUT_S))
            raise LookupError("an exception after the cancellation is ignored")

        async def ponder_async(request: Request) -> Choice:
            requests.append(request)
            await asyncio.sleep(TIMEOUT_S)
            return 0

        self.playing.cancel()
        for bot in (ponder, ponder_async):
            requests.clear()
            server = ScriptedServer()
            options = Options(server=await server.start(), ticket="ticket-7")
            self.addAsyncCleanup(server.stop)
            self.playing = asyncio.ensure_future(play_async(bot, options))
            stream = await server.stream()
            await stream.welcome()
            stream.send(decision_request(1, 1))
            stream.send(decision_request(2, 2))
            await self.end(stream, 3)
            self.assertTrue(all(request.cancelled.is_set() for request in requests))

    async def test_a_cancelled_coroutine_ends_before_the_next_one_starts(self) -> None:
        calls: list[str] = []
        has_started, cleaned_up = asyncio.Event(), asyncio.Event()

        async def slow_to_stop(request: Request) -> Choice:
            calls.append(f"{request.request_id} starts")
            has_started.set()
            if request.request_id == 1:
                try:
                    await asyncio.Event().wait()
                finally:
                    await cleaned_up.wait()
                    calls.append("1 ends")
            return 0

        self.playing.cancel()
        server = ScriptedServer()
        options = Options(server=await server.start(), ticket="ticket-7")
        self.addAsyncCleanup(server.stop)
        self.playing = asyncio.ensure_future(play_async(slow_to_stop, options))
        stream = await server.stream()
        await stream.welcome()
        stream.send(decision_request(1, 1))
        await within_timeout(has_started.wait())
        stream.send(decision_request(2, 2))
        stream.send(ping(1))
        await stream.receive()
        self.assertEqual(calls, ["1 starts"])
        cleaned_up.set()
        self.assertEqual(await self.decision(stream), (2, 0))
        self.assertEqual(calls, ["1 starts", "1 ends", "2 starts"])
        await self.end(stream, 3)

    async def test_a_bot_can_resign(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(Resign())
        stream.send(decision_request(1, 1))
        self.assertEqual(await stream.receive(), PlayRequest(resign={}))
        await self.end(stream, 2)

    async def test_a_ping_is_answered_while_the_bot_thinks(self) -> None:
        stream = await self.welcomed_stream()
        stream.send(decision_request(1, 1))
        stream.send(ping(8))
        self.assertEqual(await stream.receive(), PlayRequest(pong={"nonce": 8}))
        self.bot.choices.put(3)
        self.assertEqual(await self.decision(stream), (1, 3))
        await self.end(stream, 2)

    async def test_a_repeated_message_is_ignored(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(0)
        stream.send(match_started(1))
        stream.send(decision_request(2, 1))
        self.assertEqual(await self.decision(stream), (1, 0))
        stream.send(match_started(1))
        stream.send(decision_request(2, 1))
        # Reactions to the two would be sent before this Pong.
        stream.send(ping(1))
        self.assertEqual((await stream.receive()).WhichOneof("message"), "pong")
        await self.end(stream, 3)
        self.assertEqual(self.bot.calls, [("started", SEAT), ("decide", 1), ("ended", 99)])

    async def test_a_message_of_an_unknown_kind_is_skipped_and_counted(self) -> None:
        stream = await self.welcomed_stream()
        field_111 = b"\xfa\x06\x00"
        stream.send(
            PlayResponse.FromString(PlayResponse(sequence=1).SerializeToString() + field_111)
        )
        self.bot.choices.put(0)
        stream.send(decision_request(2, 1))
        self.assertEqual(await self.decision(stream), (1, 0))
        await self.end(stream, 3)

    async def test_a_lost_stream_is_resumed_after_the_last_message(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(4)
        stream.send(match_started(1))
        stream.send(decision_request(2, 1))
        self.assertEqual(await self.decision(stream), (1, 4))
        stream.fail(grpc.StatusCode.UNAVAILABLE)

        stream = await self.server.stream()
        hello = await stream.welcome()
        self.assertEqual((hello.last_sequence, hello.history_id), (2, HISTORY_ID))
        self.assertEqual(hello.stream_number, 2)
        # The answer may have been lost with the stream.
        self.assertEqual(await self.decision(stream), (1, 4))
        self.bot.choices.put(5)
        stream.send(decision_request(3, 2))
        self.assertEqual(await self.decision(stream), (2, 5))
        await self.end(stream, 4)
        requests = [request for method, request in self.bot.calls if method == "decide"]
        self.assertEqual(requests, [1, 2])

    async def test_a_bot_that_is_not_resumed_starts_over_without_its_unsent_answer(self) -> None:
        stream = await self.welcomed_stream()
        for number in (1, 2):
            self.bot.choices.put(number)
            stream.send(decision_request(number, number))
            self.assertEqual(await self.decision(stream), (number, number))
        stream.fail(grpc.StatusCode.UNAVAILABLE)

        # For this server the first request is still open and unanswered.
        stream = await self.server.stream()
        await stream.welcome(history_id="f" * 32, resumed=False)
        stream.send(match_started(1))
        self.bot.choices.put(7)
        stream.send(decision_request(2, 1))
        self.assertEqual(await self.decision(stream), (1, 7))
        stream.end()

        stream = await self.server.stream()
        hello = await stream.welcome(history_id="f" * 32)
        self.assertEqual((hello.last_sequence, hello.history_id), (2, "f" * 32))
        self.assertEqual(await self.decision(stream), (1, 7))
        await self.end(stream, 3)
        calls = [("decide", 1), ("decide", 2), ("started", SEAT), ("decide", 1), ("ended", 99)]
        self.assertEqual(self.bot.calls, calls)

    async def test_an_answer_from_before_the_match_started_over_is_ignored(self) -> None:
        stream = await self.welcomed_stream()
        stream.send(decision_request(1, 1))
        await self.deciding()
        stream.end()

        stream = await self.server.stream()
        await stream.welcome(history_id="f" * 32, resumed=False)
        # The same id, but a different request.
        stream.send(decision_request(1, 1))
        stream.send(ping(2))
        self.assertEqual(await stream.receive(), PlayRequest(pong={"nonce": 2}))
        self.bot.choices.put(5)
        self.bot.choices.put(6)
        self.assertEqual(await self.decision(stream), (1, 6))
        await self.end(stream, 2)

    async def test_a_bot_keeps_thinking_while_the_stream_is_lost(self) -> None:
        stream = await self.welcomed_stream()
        stream.send(decision_request(1, 1))
        stream.send(ping(1))
        await stream.receive()
        stream.end()

        stream = await self.welcomed_stream()
        stream.send(decision_request(1, 1))
        self.bot.choices.put(6)
        self.assertEqual(await self.decision(stream), (1, 6))
        await self.end(stream, 2)
        self.assertEqual(self.bot.calls, [("decide", 1), ("ended", 99)])

    async def test_the_stream_of_a_silent_server_is_replaced(self) -> None:
        stream = await self.server.stream()
        await stream.welcome(ping_interval_ms=10)
        stream.send(match_started(1))
        await self.end(await self.welcomed_stream(), 2)

    async def test_a_late_answer_is_not_sent(self) -> None:
        stream = await self.welcomed_stream()
        stream.send(decision_request(1, 1))
        await self.deciding()
        stream.send(decision_request(2, 2))
        stream.send(ping(1))
        self.assertEqual((await stream.receive()).WhichOneof("message"), "pong")
        self.bot.choices.put(1)
        self.bot.choices.put(2)
        self.assertEqual(await self.decision(stream), (2, 2))
        await self.end(stream, 3)

    async def test_a_refused_decision_is_reported_and_requested_again(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(9)
        stream.send(decision_request(1, 1))
        self.assertEqual(await self.decision(stream), (1, 9))
        self.bot.choices.put(0)
        stream.send(decision_rejected(2, 1))
        self.assertEqual(await self.decision(stream), (1, 0))
        await self.end(stream, 3)
        calls = [("decide", 1), ("rejected", 1), ("decide", 1), ("ended", 99)]
        self.assertEqual(self.bot.calls, calls)

    async def test_play_ends_if_the_bot_finds_no_legal_decision(self) -> None:
        stream = await self.welcomed_stream()
        stream.send(decision_request(1, 1))
        for sequence in range(2, 2 + MAX_REFUSED_ANSWERS):
            self.bot.choices.put(9)
            self.assertEqual(await self.decision(stream), (1, 9))
            stream.send(decision_rejected(sequence, 1))
        expected = "INDEX_OUT_OF_RANGE at 'index': 0 to 3"
        with self.assertRaisesRegex(NoLegalDecisionError, expected) as caught:
            await within_timeout(self.playing)
        self.assertEqual(caught.exception.reason, "INDEX_OUT_OF_RANGE")

    async def test_a_permanent_refusal_ends_play_with_its_reason(self) -> None:
        stream = await self.server.stream()
        stream.fail(grpc.StatusCode.UNAUTHENTICATED, "TICKET_UNKNOWN", hint="x")
        with self.assertRaises(RefusedError) as caught:
            await within_timeout(self.playing)
        self.assertEqual(caught.exception.reason, "TICKET_UNKNOWN")
        self.assertEqual(caught.exception.metadata, {"hint": "x"})
        self.assertIs(caught.exception.advice, Advice.FIX)
        self.assertEqual(self.server.stream_count, 1)

    async def test_the_reason_decides_about_a_retry_rather_than_the_code(self) -> None:
        stream = await self.server.stream()
        stream.fail(grpc.StatusCode.UNAVAILABLE, "SEAT_CLOSED")
        with self.assertRaises(RefusedError):
            await within_timeout(self.playing)

    async def test_a_reason_to_stop_gives_that_advice(self) -> None:
        stream = await self.welcomed_stream()
        stream.fail(grpc.StatusCode.ABORTED, "SUPERSEDED")
        with self.assertRaises(RefusedError) as caught:
            await within_timeout(self.playing)
        self.assertIs(caught.exception.advice, Advice.STOP)

    async def test_a_key_that_is_revoked_during_the_match_ends_play(self) -> None:
        stream = await self.welcomed_stream()
        stream.fail(grpc.StatusCode.UNAUTHENTICATED, "KEY_REVOKED")
        with self.assertRaisesRegex(RefusedError, "KEY_REVOKED"):
            await within_timeout(self.playing)

    async def test_text_of_the_server_is_escaped(self) -> None:
        stream = await self.server.stream()
        stream.fail(grpc.StatusCode.UNAVAILABLE, "SEAT_CLOSED", message="\x1b[2J\nwhy")
        with self.assertRaisesRegex(RefusedError, r"\\x1b\[2J\\nwhy"):
            await within_timeout(self.playing)

    async def test_a_temporary_refusal_is_retried(self) -> None:
        for reason in ("SERVER_STOPPING", "A_REASON_OF_A_NEWER_SERVER"):
            stream = await self.server.stream()
            stream.fail(grpc.StatusCode.UNAVAILABLE, reason)
        await self.end(await self.welcomed_stream(), 1)

    async def test_a_seed_that_matches_the_commitment_is_accepted(self) -> None:
        stream = await self.welcomed_stream()
        stream.send(match_started(1, seed_commitment=COMMITMENT))
        stream.send(match_ended(2, seed=SEED, seed_salt=SALT))
        self.assertEqual((await within_timeout(self.playing)).decisions, 99)

    async def seed_is_refused(self, seed: str, seed_salt: str) -> None:
        stream = await self.welcomed_stream()
        stream.send(match_started(1, seed_commitment=COMMITMENT))
        stream.send(match_ended(2, seed=seed, seed_salt=seed_salt))
        with self.assertRaisesRegex(BrokenSeedCommitmentError, COMMITMENT) as caught:
            await within_timeout(self.playing)
        self.assertEqual(caught.exception.result.decisions, 99)

    async def test_a_different_seed_is_an_error(self) -> None:
        await self.seed_is_refused("london-1210", SALT)

    async def test_a_different_salt_is_an_error(self) -> None:
        await self.seed_is_refused(SEED, "01" + SALT[2:])

    async def test_a_salt_that_is_not_hex_is_an_error(self) -> None:
        await self.seed_is_refused(SEED, "salt")

    async def test_a_seed_revealed_with_its_group_may_be_withheld(self) -> None:
        stream = await self.welcomed_stream()
        started = match_started(1, seed_commitment=COMMITMENT)
        started.match_started.config.group.seed_reveal = SEED_REVEAL_WITH_GROUP
        stream.send(started)
        stream.send(match_ended(2))
        self.assertEqual((await within_timeout(self.playing)).decisions, 99)

    async def test_a_seed_that_is_not_revealed_is_an_error(self) -> None:
        await self.seed_is_refused("", "")

    async def test_a_commitment_that_changes_breaks_the_protocol(self) -> None:
        stream = await self.welcomed_stream()
        stream.send(match_started(1, seed_commitment=COMMITMENT))
        stream.send(match_started(2, seed_commitment="other"))
        with self.assertRaisesRegex(PlayError, "the seed commitment changed"):
            await within_timeout(self.playing)

    async def test_an_error_of_the_bot_ends_play(self) -> None:
        stream = await self.welcomed_stream()
        self.bot.choices.put(KeyError("the bot's own"))
        stream.send(decision_request(1, 1))
        with self.assertRaisesRegex(KeyError, "the bot's own"):
            await within_timeout(self.playing)


class BotKindsTest(unittest.IsolatedAsyncioTestCase):
    """A bot may be a class or a function, synchronous or asynchronous."""

    async def asyncSetUp(self) -> None:
        self.server = ScriptedServer()
        self.address = await self.server.start()
        self.addAsyncCleanup(self.server.stop)

    async def serve(self) -> str:
        """Serve one match with one request, whose answer must be 2; return the bot's name."""
        stream = await self.server.stream()
        name = (await stream.welcome()).bot_name
        stream.send(match_started(1))
        stream.send(decision_request(2, 1))
        self.assertEqual((await stream.receive()).decision.index, 2)
        stream.send(match_ended(3))
        stream.end()
        return name

    async def plays(self, bot: Any, **options: str) -> str:
        played = play_async(bot, Options(server=self.address, ticket="t", **options))
        name, result = await within_timeout(asyncio.gather(self.serve(), played))
        self.assertEqual(result.decisions, 99)
        return name

    async def on_a_thread(self, call: Callable[[], MatchResult]) -> str:
        """Call from a thread without an event loop."""
        name, result = await within_timeout(asyncio.gather(self.serve(), asyncio.to_thread(call)))
        self.assertEqual(result.decisions, 99)
        return name

    async def test_a_function(self) -> None:
        await self.plays(lambda request: 2)
        self.assertEqual(await self.plays(lambda request: 2, name="two"), "two")

    async def test_a_coroutine_function_runs_on_the_callers_loop(self) -> None:
        loops = []

        async def decide(request: Request) -> int:
            loops.append(asyncio.get_running_loop())
            return 2

        await self.plays(decide)
        self.assertEqual(loops, [asyncio.get_running_loop()])

    async def test_an_asynchronous_bot(self) -> None:
        calls = []

        class Two(AsyncBot):
            name = "async-two"

            async def match_started(self, started: MatchStarted) -> None:
                calls.append("started")

            async def decide(self, request: Request) -> Choice:
                await asyncio.sleep(0)
                return 2

            async def match_ended(self, result: MatchResult) -> None:
                calls.append("ended")

        self.assertEqual(await self.plays(Two()), "async-two")
        self.assertEqual(calls, ["started", "ended"])

    async def test_play_works_with_and_without_an_event_loop(self) -> None:
        async def decide(request: Request) -> int:
            return 2

        options = Options(server=self.address, ticket="t")
        await self.on_a_thread(lambda: bridgemaster.play(lambda request: 2, options))
        await self.on_a_thread(lambda: bridgemaster.play(decide, options))
        with self.assertRaisesRegex(RuntimeError, "use `await play_async"):
            bridgemaster.play(decide, options)

    async def test_play_works_below_a_running_event_loop_as_in_a_notebook(self) -> None:
        async def cell() -> MatchResult:
            options = Options(server=self.address, ticket="t")
            return bridgemaster.play(lambda request: 2, options)

        await self.on_a_thread(lambda: asyncio.run(cell()))

    async def test_several_threads_play_at_once(self) -> None:
        options = Options(server=self.address, ticket="t")
        plays = [
            self.on_a_thread(lambda: bridgemaster.play(lambda _: 2, options)) for _ in range(4)
        ]
        await within_timeout(asyncio.gather(*plays))

    async def test_run_prints_the_result_on_one_line(self) -> None:
        options = Options(server=self.address, ticket="t", name="a-bot")
        output = io.StringIO()
        with redirect_stdout(output):
            await self.on_a_thread(lambda: bridgemaster.run(lambda request: 2, options))
        self.assertEqual(output.getvalue(), f"a-bot: match {MATCH_ID} is over; \n")

    async def test_run_exits_with_one_line_after_a_refusal(self) -> None:
        options = Options(server=self.address, ticket="t", name="a-bot")

        def exit_code() -> object:
            with self.assertRaises(SystemExit) as ended:
                bridgemaster.run(lambda request: 2, options)
            return ended.exception.code

        output = io.StringIO()
        with redirect_stderr(output):
            running = asyncio.ensure_future(asyncio.to_thread(exit_code))
            (await self.server.stream()).fail(grpc.StatusCode.UNAUTHENTICATED, "TICKET_UNKNOWN")
            self.assertEqual(await within_timeout(running), 1)
        self.assertRegex(output.getvalue(), r"^a-bot: error: .*TICKET_UNKNOWN.*\n$")

    async def test_a_value_that_is_not_a_bot_is_named(self) -> None:
        for bot, error in ((Puppet, "is a class: call it"), (7, "expected a function.* not 7")):
            with self.assertRaisesRegex(TypeError, error):
                await play_async(bot, Options(server=self.address, ticket="t"))


class TimeLimitTest(unittest.IsolatedAsyncioTestCase):
    """The time limits of connecting and resuming."""

    async def test_each_welcomed_stream_restarts_the_time_to_reconnect(self) -> None:
        server = ScriptedServer()
        address = await server.start()
        self.addAsyncCleanup(server.stop)
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        options = Options(server=address, ticket="ticket-7", connect_for_s=0.0)
        playing = asyncio.ensure_future(play_async(Puppet(), options))
        # While the match waits for other bots, the Welcome is the only message.
        for _ in range(3):
            stream = await server.stream()
            await stream.welcome()
            stream.end()
        stream = await server.stream()
        await stream.welcome()
        stream.send(match_ended(1))
        self.assertEqual((await within_timeout(playing)).decisions, 99)
        stream.end()

    async def test_a_server_that_stops_for_good_is_abandoned_with_its_reason(self) -> None:
        server = ScriptedServer()
        address = await server.start()
        self.addAsyncCleanup(server.stop)
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        options = Options(server=address, ticket="ticket-7", reconnect_for_s=0.0)
        playing = asyncio.ensure_future(play_async(Puppet(), options))
        stream = await server.stream()
        await stream.welcome()
        stream.fail(grpc.StatusCode.UNAVAILABLE, "SERVER_STOPPING")
        with self.assertRaisesRegex(ServerLostError, "could not resume it within") as caught:
            await within_timeout(playing)
        self.assertEqual(caught.exception.reason, "SERVER_STOPPING")
        self.assertIs(caught.exception.advice, Advice.RETRY)


class AbsentServerTest(unittest.TestCase):
    """A server that does not answer."""

    def test_an_absent_server_is_abandoned_after_the_time_limit(self) -> None:
        # Nothing listens on port 1, which is assigned to an obsolete service.
        options = Options(server="http://127.0.0.1:1", ticket="ticket-7", connect_for_s=0.1)
        with self.assertRaisesRegex(ServerLostError, "no server answered at http://127.0.0.1:1"):
            bridgemaster.play(Puppet(), options)
