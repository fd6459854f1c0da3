"""Several servers: tried in turn, and followed to where one of them says that the match is."""

import asyncio
import logging
import socket
import unittest

import grpc

from bridgemaster import Bot, Choice, Options, Request, play_async
from bridgemaster._route import Place, Route
from bridgemaster.v1.match_pb2 import MatchResult

from .scripted_server import ScriptedServer, match_ended, match_started, soon


class First(Bot):
    """Takes the first of its legal decisions."""

    def decide(self, request: Request) -> Choice:
        """Take it."""
        return 0


def route(*targets: str) -> Route:
    """Return the way to these servers."""
    return Route(tuple(Place(f"http://{target}", target, None) for target in targets))


class RouteTest(unittest.TestCase):
    """Which server is tried next."""

    def test_the_servers_are_tried_in_turn(self) -> None:
        way = route("one:1", "two:2")
        tried = [way.place.target]
        for _ in range(2):
            self.assertFalse(way.go_on(None))
            tried.append(way.place.target)
        self.assertEqual(tried, ["one:1", "two:2", "one:1"])

    def test_each_of_several_servers_has_its_share_of_the_time(self) -> None:
        for targets, patience_s in [
            (["one:1"], 10),
            (["one:1", "two:2"], 6),
            (["one:1", "two:2", "three:3"], 4),
        ]:
            self.assertEqual(route(*targets).patience_s(10, 12), patience_s, targets)

    def test_a_caller_goes_where_it_is_sent_and_pauses_when_sent_on(self) -> None:
        way = route("one:1", "two:2")
        self.assertTrue(way.go_on("three:3"))
        self.assertEqual(way.place, Place("http://three:3", "three:3", None))
        self.assertFalse(way.go_on("one:1"))
        way.arrived()
        self.assertTrue(way.go_on("three:3"))
        way.go_on(None)
        self.assertEqual(way.place.target, "two:2")


class SeveralServersTest(unittest.IsolatedAsyncioTestCase):
    """A match is at the second of three servers, and the first is gone."""

    async def asyncSetUp(self) -> None:
        self.asked, self.playing = ScriptedServer(), ScriptedServer()
        self.addresses = [await self.asked.start(), await self.playing.start()]
        self.addAsyncCleanup(self.asked.stop)
        self.addAsyncCleanup(self.playing.stop)
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)

    async def test_a_bot_finds_its_match(self) -> None:
        named = f"http://127.0.0.1:1, {self.addresses[0]}"
        played = asyncio.ensure_future(play_async(First(), Options(server=named, ticket="t")))
        stream = await self.asked.stream()
        address = self.addresses[1].removeprefix("http://")
        stream.fail(grpc.StatusCode.FAILED_PRECONDITION, "MOVED", address=address)
        await self.ends(played)

    async def test_a_server_that_says_nothing_is_left_for_the_next_one_in_time(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            named = f"127.0.0.1:{silent.getsockname()[1]},{self.addresses[1]}"
            played = asyncio.ensure_future(play_async(First(), Options(server=named, ticket="t")))
            await self.ends(played)

    async def ends(self, played: "asyncio.Future[MatchResult]") -> None:
        """Play the match of the next bot to its end."""
        stream = await self.playing.stream()
        await stream.welcome()
        stream.send(match_started(1))
        stream.send(match_ended(2))
        stream.end()
        result = await soon(played)
        self.assertEqual(result.decisions, 99)
