"""Playing against a scripted server on loopback."""

import asyncio
import io
import logging
import queue
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
    OptionsError,
    PlayError,
    RefusedError,
    Request,
    Resign,
    ServerLostError,
    play_async,
)
from bridgemaster._conversation import MAX_REFUSED_ANSWERS
from bridgemaster._options import target_of
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
    PATIENCE_S,
    SALT,
    SEAT,
    SEED,
    ScriptedServer,
    Stream,
    decision_rejected,
    decision_request,
    match_ended,
    match_started,
    ping,
    soon,
)


class Puppet(Bot):
    """Tells what it hears, and answers with what the test hands it."""

    name = "puppet"
    version = "1.0"
    games = ("old_london_bridge",)

    def __init__(self) -> None:
        """Start with nothing heard and nothing chosen."""
        self.heard: list[tuple[str, int]] = []
        self.choices: queue.Queue[Choice | Exception] = queue.Queue()

    def decide(self, request: Request) -> Choice:
        self.heard.append(("asked", request.request_id))
        choice = self.choices.get(timeout=PATIENCE_S)
        if isinstance(choice, Exception):
            raise choice
        return choice

    def match_started(self, started: MatchStarted) -> None:
        self.heard.append(("started", started.seat))

    def decision_rejected(self, rejected: DecisionRejected) -> None:
        self.heard.append(("rejected", rejected.request_id))

    def seat_changed(self, status: SeatStatus) -> None:
        self.heard.append(("seat", status.seat.seat))

    def match_ended(self, result: MatchResult) -> None:
        self.heard.append(("ended", result.decisions))


class PlayTest(unittest.IsolatedAsyncioTestCase):
    """Each test is the server of one bot."""

    async def asyncSetUp(self) -> None:
        self.server = ScriptedServer()
        self.bot = Puppet()
        self.address = await self.server.start()
        self.addAsyncCleanup(self.server.stop)
        # The warnings about what the tests do on purpose.
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        options = Options(server=self.address, ticket="ticket-7", key="bmk_k_7")
        playing = play_async(self.bot, options)
        self.playing = asyncio.ensure_future(playing)

    async def welcomed(self) -> Stream:
        stream = await self.server.stream()
        await stream.welcome()
        return stream

    async def decision(self, stream: Stream) -> tuple[int, int]:
        """Return request and index of the next message, which must be a decision by index."""
        message = await stream.receive()
        self.assertEqual(message.WhichOneof("message"), "decision", message)
        self.assertEqual(message.decision.WhichOneof("choice"), "index")
        return message.decision.request_id, message.decision.index

    async def end(self, stream: Stream, sequence: int) -> None:
        """End the match, and check that the bot leaves in order."""
        stream.send(match_ended(sequence))
        self.assertIsNone(await stream.receive())
        stream.end()
        result = await soon(self.playing)
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

        stream.send(match_started(1))
        for request_id, index in ((1, 0), (2, 5)):
            self.bot.choices.put(index)
            stream.send(decision_request(1 + request_id, request_id))
            self.assertEqual(await self.decision(stream), (request_id, index))
        await self.end(stream, 4)
        told = [("started", SEAT), ("asked", 1), ("asked", 2), ("ended", 99)]
        self.assertEqual(self.bot.heard, told)

    async def test_a_decision_in_full_is_sent_as_it_is(self) -> None:
        stream = await self.welcomed()
        full = GameDecision(old_london_bridge={"take_tile": {"bonus_stack": 2}})
        self.bot.choices.put(full)
        stream.send(decision_request(1, 1))
        self.assertEqual((await stream.receive()).decision.decision, full)
        await self.end(stream, 2)

    async def test_a_decision_of_the_game_is_put_into_its_entry(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(OldLondonBridgeDecision(take_tile={"bonus_stack": 2}))
        stream.send(decision_request(1, 1))
        full = GameDecision(old_london_bridge={"take_tile": {"bonus_stack": 2}})
        self.assertEqual((await stream.receive()).decision.decision, full)
        await self.end(stream, 2)

    async def test_a_note_goes_with_the_answer(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(Answer(3, note="the park is nearly full"))
        stream.send(decision_request(1, 1))
        expected = {"request_id": 1, "index": 3, "note": "the park is nearly full"}
        self.assertEqual(await stream.receive(), PlayRequest(decision=expected))
        await self.end(stream, 2)

    async def test_what_is_no_answer_is_named_to_the_author(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(None)
        stream.send(decision_request(1, 1))
        with self.assertRaisesRegex(TypeError, "decide returned None"):
            await soon(self.playing)

    async def test_an_index_below_0_is_named_to_the_author(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(-1)
        stream.send(decision_request(1, 1))
        with self.assertRaisesRegex(ValueError, "decide returned -1"):
            await soon(self.playing)

    async def test_a_message_that_is_no_decision_is_named_to_the_author(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(MatchResult())
        stream.send(decision_request(1, 1))
        with self.assertRaisesRegex(TypeError, "MatchResult"):
            await soon(self.playing)

    async def test_a_seat_that_changes_is_told(self) -> None:
        stream = await self.welcomed()
        stream.send(PlayResponse(sequence=1, seat_status={"seat": {"seat": 3}}))
        await self.end(stream, 2)
        self.assertEqual(self.bot.heard, [("seat", 3), ("ended", 99)])

    async def test_a_cancelled_task_leaves_the_match(self) -> None:
        stream = await self.welcomed()
        stream.send(decision_request(1, 1))
        stream.send(ping(1))
        await stream.receive()
        self.playing.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await soon(self.playing)
        self.assertIsNone(await stream.receive())

    async def test_a_bot_can_resign(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(Resign())
        stream.send(decision_request(1, 1))
        self.assertEqual(await stream.receive(), PlayRequest(resign={}))
        await self.end(stream, 2)

    async def test_a_ping_is_answered_while_the_bot_thinks(self) -> None:
        stream = await self.welcomed()
        stream.send(decision_request(1, 1))
        stream.send(ping(8))
        self.assertEqual(await stream.receive(), PlayRequest(pong={"nonce": 8}))
        self.bot.choices.put(3)
        self.assertEqual(await self.decision(stream), (1, 3))
        await self.end(stream, 2)

    async def test_a_message_that_came_before_is_ignored(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(0)
        stream.send(match_started(1))
        stream.send(decision_request(2, 1))
        self.assertEqual(await self.decision(stream), (1, 0))
        stream.send(match_started(1))
        stream.send(decision_request(2, 1))
        # Whatever the two had caused would be sent before this Pong, and heard before the end.
        stream.send(ping(1))
        self.assertEqual((await stream.receive()).WhichOneof("message"), "pong")
        await self.end(stream, 3)
        self.assertEqual(self.bot.heard, [("started", SEAT), ("asked", 1), ("ended", 99)])

    async def test_a_message_of_an_unknown_kind_is_skipped_and_counted(self) -> None:
        stream = await self.welcomed()
        field_111 = b"\xfa\x06\x00"
        stream.send(
            PlayResponse.FromString(PlayResponse(sequence=1).SerializeToString() + field_111)
        )
        self.bot.choices.put(0)
        stream.send(decision_request(2, 1))
        self.assertEqual(await self.decision(stream), (1, 0))
        await self.end(stream, 3)

    async def test_a_lost_stream_is_resumed_after_the_last_message(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(4)
        stream.send(match_started(1))
        stream.send(decision_request(2, 1))
        self.assertEqual(await self.decision(stream), (1, 4))
        stream.fail(grpc.StatusCode.UNAVAILABLE)

        stream = await self.server.stream()
        hello = await stream.welcome()
        self.assertEqual((hello.last_sequence, hello.history_id), (2, HISTORY_ID))
        # The stream may have been lost with the answer on it.
        self.assertEqual(await self.decision(stream), (1, 4))
        self.bot.choices.put(5)
        stream.send(decision_request(3, 2))
        self.assertEqual(await self.decision(stream), (2, 5))
        await self.end(stream, 4)
        asked = [request for what, request in self.bot.heard if what == "asked"]
        self.assertEqual(asked, [1, 2])

    async def test_a_bot_that_is_not_resumed_begins_anew_without_its_unsent_answer(self) -> None:
        stream = await self.welcomed()
        for number in (1, 2):
            self.bot.choices.put(number)
            stream.send(decision_request(number, number))
            self.assertEqual(await self.decision(stream), (number, number))
        stream.fail(grpc.StatusCode.UNAVAILABLE)

        # For this server the first request is still open, and nobody has answered it.
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
        told = [("asked", 1), ("asked", 2), ("started", SEAT), ("asked", 1), ("ended", 99)]
        self.assertEqual(self.bot.heard, told)

    async def test_what_a_bot_thought_about_before_it_began_anew_answers_nothing(self) -> None:
        stream = await self.welcomed()
        stream.send(decision_request(1, 1))
        stream.send(ping(1))
        await stream.receive()
        stream.end()

        stream = await self.server.stream()
        await stream.welcome(history_id="f" * 32, resumed=False)
        # Of the same number, and another all the same.
        stream.send(decision_request(1, 1))
        stream.send(ping(2))
        self.assertEqual(await stream.receive(), PlayRequest(pong={"nonce": 2}))
        self.bot.choices.put(5)
        self.bot.choices.put(6)
        self.assertEqual(await self.decision(stream), (1, 6))
        await self.end(stream, 2)

    async def test_a_bot_thinks_on_while_the_stream_is_lost(self) -> None:
        stream = await self.welcomed()
        stream.send(decision_request(1, 1))
        stream.send(ping(1))
        await stream.receive()
        stream.end()

        stream = await self.welcomed()
        stream.send(decision_request(1, 1))
        self.bot.choices.put(6)
        self.assertEqual(await self.decision(stream), (1, 6))
        await self.end(stream, 2)
        self.assertEqual(self.bot.heard, [("asked", 1), ("ended", 99)])

    async def test_a_silent_server_is_left_and_called_again(self) -> None:
        stream = await self.server.stream()
        await stream.welcome(ping_interval_ms=10)
        stream.send(match_started(1))
        await self.end(await self.welcomed(), 2)

    async def test_an_answer_that_comes_too_late_is_not_sent(self) -> None:
        stream = await self.welcomed()
        stream.send(decision_request(1, 1))
        stream.send(decision_request(2, 2))
        stream.send(ping(1))
        self.assertEqual((await stream.receive()).WhichOneof("message"), "pong")
        self.bot.choices.put(1)
        self.bot.choices.put(2)
        self.assertEqual(await self.decision(stream), (2, 2))
        await self.end(stream, 3)

    async def test_a_refused_decision_is_told_and_asked_for_again(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(9)
        stream.send(decision_request(1, 1))
        self.assertEqual(await self.decision(stream), (1, 9))
        self.bot.choices.put(0)
        stream.send(decision_rejected(2, 1))
        self.assertEqual(await self.decision(stream), (1, 0))
        await self.end(stream, 3)
        told = [("asked", 1), ("rejected", 1), ("asked", 1), ("ended", 99)]
        self.assertEqual(self.bot.heard, told)

    async def test_a_bot_that_finds_no_legal_decision_is_given_up(self) -> None:
        stream = await self.welcomed()
        stream.send(decision_request(1, 1))
        for sequence in range(2, 2 + MAX_REFUSED_ANSWERS):
            self.bot.choices.put(9)
            self.assertEqual(await self.decision(stream), (1, 9))
            stream.send(decision_rejected(sequence, 1))
        expected = "INDEX_OUT_OF_RANGE at 'index': 0 to 3"
        with self.assertRaisesRegex(NoLegalDecisionError, expected) as caught:
            await soon(self.playing)
        self.assertEqual(caught.exception.reason, "INDEX_OUT_OF_RANGE")

    async def test_a_refusal_that_cannot_be_mended_ends_play_with_its_reason(self) -> None:
        stream = await self.server.stream()
        stream.fail(grpc.StatusCode.UNAUTHENTICATED, "TICKET_UNKNOWN", hint="x")
        with self.assertRaises(RefusedError) as caught:
            await soon(self.playing)
        self.assertEqual(caught.exception.reason, "TICKET_UNKNOWN")
        self.assertEqual(caught.exception.metadata, {"hint": "x"})
        self.assertIs(caught.exception.advice, Advice.FIX)
        self.assertEqual(self.server.stream_count, 1)

    async def test_the_reason_and_not_the_code_decides_about_trying_again(self) -> None:
        stream = await self.server.stream()
        stream.fail(grpc.StatusCode.UNAVAILABLE, "SEAT_CLOSED")
        with self.assertRaises(RefusedError):
            await soon(self.playing)

    async def test_a_reason_that_leaves_nothing_to_do_says_so(self) -> None:
        stream = await self.welcomed()
        stream.fail(grpc.StatusCode.ABORTED, "SUPERSEDED")
        with self.assertRaises(RefusedError) as caught:
            await soon(self.playing)
        self.assertIs(caught.exception.advice, Advice.STOP)

    async def test_a_key_that_is_revoked_during_the_match_ends_play(self) -> None:
        stream = await self.welcomed()
        stream.fail(grpc.StatusCode.UNAUTHENTICATED, "KEY_REVOKED")
        with self.assertRaisesRegex(RefusedError, "KEY_REVOKED"):
            await soon(self.playing)

    async def test_what_the_server_says_cannot_take_over_a_terminal(self) -> None:
        stream = await self.server.stream()
        stream.fail(grpc.StatusCode.UNAVAILABLE, "SEAT_CLOSED", message="\x1b[2J\nwhy")
        with self.assertRaisesRegex(RefusedError, r"\\x1b\[2J\\nwhy"):
            await soon(self.playing)

    async def test_a_refusal_that_passes_is_tried_again(self) -> None:
        for reason in ("SERVER_STOPPING", "A_REASON_OF_A_NEWER_SERVER"):
            stream = await self.server.stream()
            stream.fail(grpc.StatusCode.UNAVAILABLE, reason)
        await self.end(await self.welcomed(), 1)

    async def test_a_seed_that_is_the_one_committed_to_ends_play_well(self) -> None:
        stream = await self.welcomed()
        stream.send(match_started(1, seed_commitment=COMMITMENT))
        stream.send(match_ended(2, seed=SEED, seed_salt=SALT))
        self.assertEqual((await soon(self.playing)).decisions, 99)

    async def seed_is_refused(self, seed: str, seed_salt: str) -> None:
        stream = await self.welcomed()
        stream.send(match_started(1, seed_commitment=COMMITMENT))
        stream.send(match_ended(2, seed=seed, seed_salt=seed_salt))
        with self.assertRaisesRegex(BrokenSeedCommitmentError, COMMITMENT) as caught:
            await soon(self.playing)
        self.assertEqual(caught.exception.result.decisions, 99)

    async def test_another_seed_than_the_one_committed_to_is_an_error(self) -> None:
        await self.seed_is_refused("london-1210", SALT)

    async def test_another_salt_than_the_one_committed_to_is_an_error(self) -> None:
        await self.seed_is_refused(SEED, "01" + SALT[2:])

    async def test_a_salt_that_is_no_hex_is_an_error(self) -> None:
        await self.seed_is_refused(SEED, "salt")

    async def test_a_seed_that_stays_secret_until_its_group_is_over_is_no_error(self) -> None:
        stream = await self.welcomed()
        started = match_started(1, seed_commitment=COMMITMENT)
        started.match_started.config.group.seed_reveal = SEED_REVEAL_WITH_GROUP
        stream.send(started)
        stream.send(match_ended(2))
        self.assertEqual((await soon(self.playing)).decisions, 99)

    async def test_a_seed_that_is_not_revealed_is_an_error(self) -> None:
        await self.seed_is_refused("", "")

    async def test_a_commitment_that_changes_breaks_the_protocol(self) -> None:
        stream = await self.welcomed()
        stream.send(match_started(1, seed_commitment=COMMITMENT))
        stream.send(match_started(2, seed_commitment="other"))
        with self.assertRaisesRegex(PlayError, "the seed commitment changed"):
            await soon(self.playing)

    async def test_an_error_of_the_bot_ends_play(self) -> None:
        stream = await self.welcomed()
        self.bot.choices.put(KeyError("the bot's own"))
        stream.send(decision_request(1, 1))
        with self.assertRaisesRegex(KeyError, "the bot's own"):
            await soon(self.playing)


class KindsOfBotTest(unittest.IsolatedAsyncioTestCase):
    """A bot may be a class or a function, plain or of coroutines."""

    async def asyncSetUp(self) -> None:
        self.server = ScriptedServer()
        self.address = await self.server.start()
        self.addAsyncCleanup(self.server.stop)

    async def serve(self) -> str:
        """Play one match with one request, whose index must be 2; return the bot's name."""
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
        name, result = await soon(asyncio.gather(self.serve(), played))
        self.assertEqual(result.decisions, 99)
        return name

    async def on_a_thread(self, call: Callable[[], MatchResult]) -> str:
        """Call where no event loop is running."""
        name, result = await soon(asyncio.gather(self.serve(), asyncio.to_thread(call)))
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

    async def test_a_bot_of_coroutines(self) -> None:
        heard = []

        class Two(AsyncBot):
            name = "async-two"

            async def match_started(self, started: MatchStarted) -> None:
                heard.append("started")

            async def decide(self, request: Request) -> Choice:
                await asyncio.sleep(0)
                return 2

            async def match_ended(self, result: MatchResult) -> None:
                heard.append("ended")

        self.assertEqual(await self.plays(Two()), "async-two")
        self.assertEqual(heard, ["started", "ended"])

    async def test_play_needs_no_event_loop_and_minds_none(self) -> None:
        async def decide(request: Request) -> int:
            return 2

        options = Options(server=self.address, ticket="t")
        await self.on_a_thread(lambda: bridgemaster.play(lambda request: 2, options))
        await self.on_a_thread(lambda: bridgemaster.play(decide, options))
        with self.assertRaisesRegex(RuntimeError, "await play_async"):
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
        await soon(asyncio.gather(*plays))

    async def test_run_tells_the_result_in_one_line(self) -> None:
        options = Options(server=self.address, ticket="t", name="a-bot")
        said = io.StringIO()
        with redirect_stdout(said):
            await self.on_a_thread(lambda: bridgemaster.run(lambda request: 2, options))
        self.assertEqual(said.getvalue(), f"a-bot: match {MATCH_ID} is over; \n")

    async def test_run_ends_the_program_in_one_line_when_it_is_refused(self) -> None:
        options = Options(server=self.address, ticket="t", name="a-bot")

        def exit_code() -> object:
            with self.assertRaises(SystemExit) as ended:
                bridgemaster.run(lambda request: 2, options)
            return ended.exception.code

        said = io.StringIO()
        with redirect_stderr(said):
            running = asyncio.ensure_future(asyncio.to_thread(exit_code))
            (await self.server.stream()).fail(grpc.StatusCode.UNAUTHENTICATED, "TICKET_UNKNOWN")
            self.assertEqual(await soon(running), 1)
        self.assertRegex(said.getvalue(), r"^a-bot: error: .*TICKET_UNKNOWN.*\n$")

    async def test_what_is_no_bot_is_named(self) -> None:
        for bot, error in ((Puppet, "is a class: call it"), (7, "a bot is needed")):
            with self.assertRaisesRegex(TypeError, error):
                await play_async(bot, Options(server=self.address, ticket="t"))


class PatienceTest(unittest.IsolatedAsyncioTestCase):
    """How long a server is called again."""

    async def test_each_welcomed_stream_gives_the_whole_time_to_come_back(self) -> None:
        server = ScriptedServer()
        address = await server.start()
        self.addAsyncCleanup(server.stop)
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        options = Options(server=address, ticket="ticket-7", connect_for_s=0.0)
        playing = asyncio.ensure_future(play_async(Puppet(), options))
        # Welcome is all that is said while the match waits for other bots.
        for _ in range(3):
            stream = await server.stream()
            await stream.welcome()
            stream.end()
        stream = await server.stream()
        await stream.welcome()
        stream.send(match_ended(1))
        self.assertEqual((await soon(playing)).decisions, 99)
        stream.end()

    async def test_a_server_that_stops_for_good_is_given_up_with_its_reason(self) -> None:
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
        with self.assertRaisesRegex(ServerLostError, "was lost and did not come back") as caught:
            await soon(playing)
        self.assertEqual(caught.exception.reason, "SERVER_STOPPING")
        self.assertIs(caught.exception.advice, Advice.RETRY)


class AddressTest(unittest.TestCase):
    """How a server is named."""

    def test_an_address_may_be_given_with_and_without_its_scheme(self) -> None:
        for address in ("http://127.0.0.1:50051", "127.0.0.1:50051", "http://127.0.0.1:50051/"):
            self.assertEqual(target_of(address), ("127.0.0.1:50051", False))
        self.assertEqual(target_of("http://[::1]:7"), ("[::1]:7", False))
        self.assertEqual(target_of("https://host:1"), ("host:1", True))

    def test_what_is_no_address_is_refused(self) -> None:
        for address in (
            "ftp://host:1",
            "http://host",
            "host",
            "http://host:x",
            "http://host:1/a",
        ):
            with self.assertRaisesRegex(OptionsError, "address"):
                target_of(address)

    def test_a_server_that_is_not_there_is_given_up(self) -> None:
        # Nothing listens on port 1: it is for privileged services that are not used any more.
        options = Options(server="http://127.0.0.1:1", ticket="ticket-7", connect_for_s=0.1)
        with self.assertRaisesRegex(ServerLostError, "http://127.0.0.1:1 could not be reached"):
            bridgemaster.play(Puppet(), options)
