"""Several servers, which are tried in turn."""

import asyncio
import logging
import socket
import unittest

from bridgemaster import Bot, Choice, Options, Request, play_async
from bridgemaster._route import Route, Server
from bridgemaster.v1.match_pb2 import MatchResult

from .scripted_server import ScriptedServer, match_ended, match_started, within_timeout


class First(Bot):
    """Takes the first of its legal decisions."""

    def decide(self, request: Request) -> Choice:
        """Return the first index."""
        return 0


def new_route(*targets: str) -> Route:
    """Create a route to these servers."""
    return Route(tuple(Server(f"http://{target}", target, None) for target in targets))


class RouteTest(unittest.TestCase):
    """The order in which servers are tried."""

    def test_the_servers_are_tried_in_turn(self) -> None:
        route = new_route("one:1", "two:2")
        tried = [route.server.target]
        for _ in range(2):
            route.advance()
            tried.append(route.server.target)
        self.assertEqual(tried, ["one:1", "two:2", "one:1"])

    def test_several_servers_share_the_total_time(self) -> None:
        for targets, timeout_s in [
            (["one:1"], 10),
            (["one:1", "two:2"], 6),
            (["one:1", "two:2", "three:3"], 4),
        ]:
            self.assertEqual(new_route(*targets).answer_timeout_s(10, 12), timeout_s, targets)


class SeveralServersTest(unittest.IsolatedAsyncioTestCase):
    """The first of two servers does not answer."""

    async def asyncSetUp(self) -> None:
        self.playing = ScriptedServer()
        self.address = await self.playing.start()
        self.addAsyncCleanup(self.playing.stop)
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)

    async def test_an_unreachable_server_is_left_for_the_next_one(self) -> None:
        servers = f"http://127.0.0.1:1, {self.address}"
        played = asyncio.ensure_future(play_async(First(), Options(server=servers, ticket="t")))
        await self.play_to_the_end(played)

    async def test_a_silent_server_is_left_for_the_next_one_in_time(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            servers = f"127.0.0.1:{silent.getsockname()[1]},{self.address}"
            played = asyncio.ensure_future(play_async(First(), Options(server=servers, ticket="t")))
            await self.play_to_the_end(played)

    async def play_to_the_end(self, played: "asyncio.Future[MatchResult]") -> None:
        """Serve the match of the next bot to its end."""
        stream = await self.playing.stream()
        await stream.welcome()
        stream.send(match_started(1))
        stream.send(match_ended(2))
        stream.end()
        result = await within_timeout(played)
        self.assertEqual(result.decisions, 99)
