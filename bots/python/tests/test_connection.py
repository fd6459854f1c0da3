"""The connection against a scripted server on loopback."""

import asyncio
import logging
import queue
import unittest
from unittest import mock

import grpc
from bridgemaster.v1.game_pb2 import GameDecision
from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import (
    DecisionRejected,
    DecisionRequest,
    MatchStarted,
    PlayRequest,
    PlayResponse,
)

from bridgemaster_bot import connection
from bridgemaster_bot.bot import Bot, Choice, Resign
from bridgemaster_bot.connection import MAX_REFUSED_ANSWERS, Connection, target_of
from bridgemaster_bot.errors import BrokenSeedCommitmentError, PlayError, RefusedError

from .scripted_server import (
    COMMITMENT,
    HISTORY_ID,
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

    def decide(self, request: DecisionRequest) -> Choice:
        self.heard.append(("asked", request.request_id))
        choice = self.choices.get(timeout=PATIENCE_S)
        if isinstance(choice, Exception):
            raise choice
        return choice

    def match_started(self, started: MatchStarted) -> None:
        self.heard.append(("started", started.seat))

    def decision_rejected(self, rejected: DecisionRejected) -> None:
        self.heard.append(("rejected", rejected.request_id))

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
        playing = Connection(self.bot, self.address, "ticket-7", "bmk_k_7").play()
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
        with self.assertRaisesRegex(PlayError, "INDEX_OUT_OF_RANGE at 'index': 0 to 3"):
            await soon(self.playing)

    async def test_a_refusal_that_cannot_be_mended_ends_play_with_its_reason(self) -> None:
        stream = await self.server.stream()
        stream.fail(grpc.StatusCode.UNAUTHENTICATED, "TICKET_UNKNOWN", hint="x")
        with self.assertRaises(RefusedError) as caught:
            await soon(self.playing)
        self.assertEqual(caught.exception.reason, "TICKET_UNKNOWN")
        self.assertEqual(caught.exception.metadata, {"hint": "x"})
        self.assertEqual(self.server.stream_count, 1)

    async def test_the_reason_and_not_the_code_decides_about_trying_again(self) -> None:
        stream = await self.server.stream()
        stream.fail(grpc.StatusCode.UNAVAILABLE, "SEAT_CLOSED")
        with self.assertRaises(RefusedError):
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


class PatienceTest(unittest.IsolatedAsyncioTestCase):
    """How long a server is called again."""

    async def test_each_welcomed_stream_gives_the_whole_time_to_come_back(self) -> None:
        server = ScriptedServer()
        address = await server.start()
        self.addAsyncCleanup(server.stop)
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        with mock.patch.object(connection, "CONNECT_FOR_S", 0.0):
            playing = asyncio.ensure_future(Connection(Puppet(), address, "ticket-7").play())
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


class AddressTest(unittest.TestCase):
    """How a server is named."""

    def test_an_address_may_be_given_with_and_without_its_scheme(self) -> None:
        for address in ("http://127.0.0.1:50051", "127.0.0.1:50051", "http://127.0.0.1:50051/"):
            self.assertEqual(target_of(address), "127.0.0.1:50051")
        self.assertEqual(target_of("http://[::1]:7"), "[::1]:7")
        self.assertEqual(target_of("https://host:1"), "host:1")

    def test_what_is_no_address_is_refused(self) -> None:
        for address in (
            "ftp://host:1",
            "http://host",
            "host",
            "http://host:x",
            "http://host:1/a",
        ):
            with self.assertRaisesRegex(PlayError, "address"):
                target_of(address)

    def test_a_server_that_is_not_there_is_given_up(self) -> None:
        with (
            mock.patch.object(connection, "CONNECT_FOR_S", 0.1),
            self.assertRaisesRegex(PlayError, "http://127.0.0.1:1 could not be reached"),
        ):
            # Nothing listens on port 1: it is for privileged services that are not used any more.
            connection.play(Puppet(), "http://127.0.0.1:1", "ticket-7")
