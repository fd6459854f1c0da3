"""A bot of a language at two nodes over one database: the match is not where it looks first."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from . import database
from .catalogue import Language
from .ports import free_port
from .processes import (
    PATIENCE_S,
    UNHURRIED,
    FailedError,
    ask,
    bots,
    decisions,
    serving,
    timed,
    until,
)
from .sample import command_of

PASSWORD = "of-the-test"
DECISIONS_BEFORE_KILL = 10
"""Decisions after which the node is killed: the match is under way, and far from its end."""
DECISION_MS = "100"
"""What each decision of the opponent takes, so that the match is not over before."""


def test(language: Language, program: Path) -> None:
    """Test the sample bot of a language, where there is a PostgreSQL."""
    if database.programs() is None and "CI" not in os.environ:
        print(f"{language.name}: not tested at several nodes, for there is no PostgreSQL")
        return
    with nodes(program) as (asked, (playing, url)):
        what = f"{language.name}: finds its match at another node"
        timed(what, find, language, program, asked[1], url)
        what = f"{language.name}: comes back at another node"
        timed(what, come_back, language, program, asked[1], (playing, url))


Node = tuple[subprocess.Popen[str], str]
"""Its process and its address."""


@contextmanager
def nodes(program: Path) -> Iterator[tuple[Node, Node]]:
    """Start two nodes over a database."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        port = stack.enter_context(database.database(Path(folder), PASSWORD))
        user = database.USER
        store = f"postgres://{user}:{PASSWORD}@127.0.0.1:{port}/{user}"

        def node(name: str) -> Node:
            address = f"127.0.0.1:{free_port()}"
            flags = ["--listen", address, "--advertise", address, "--node", name, "--no-page"]
            return stack.enter_context(serving(program, *flags, "--store", store))

        yield node("asked"), node("playing")


def known(asked: str) -> str:
    """Return what a bot knows: an address at which nothing listens, and one node."""
    return f"http://127.0.0.1:{free_port()}, {asked}"


def make_match(program: Path, url: str) -> tuple[str, list[str]]:
    """Make a match at a node, and return its identifier and tickets."""
    flags = ["--game", "alhambra", "--seats", "2", *UNHURRIED]
    made = ask(program, "create", "--server", url, *flags, "--json")
    return made["match"]["matchId"], [seat["ticket"] for seat in made["tickets"]]


def find(language: Language, program: Path, asked: str, playing: str) -> None:
    """Let a bot ask a server that is gone, and then a node that does not have its match."""
    match, (first, second) = make_match(program, playing)
    with bots() as start:
        bot = start(command_of(language, program), known(asked), BRIDGEMASTER_TICKET=first)
        other = start([str(program), "bot", "random"], playing, BRIDGEMASTER_TICKET=second)
        check_end(program, asked, match, [bot, other])


def come_back(language: Language, program: Path, asked: str, playing: Node) -> None:
    """Kill the node in the middle of a match: both bots go on at the one that takes the match."""
    process, url = playing
    match, (first, second) = make_match(program, url)
    with bots() as start:
        bot = start(command_of(language, program), known(asked), BRIDGEMASTER_TICKET=first)
        slow = [str(program), "bot", "search", "--time-ms", DECISION_MS]
        other = start(slow, f"{url},{asked}", BRIDGEMASTER_TICKET=second)
        until(lambda: decisions(program, url, match) >= DECISIONS_BEFORE_KILL)
        process.kill()
        if bot.poll() is not None:
            raise FailedError("the match was over before its node was killed")
        check_end(program, asked, match, [bot, other])


def check_end(program: Path, url: str, match: str, played: list["subprocess.Popen[bytes]"]) -> None:
    """Wait for the bots of a match: they play it to the end without a fault."""
    for process in played:
        if process.wait(PATIENCE_S) != 0:
            raise FailedError(f"a bot ended with {process.returncode}")
    seats = ask(program, "result", "--server", url, match, "--json")["result"]["seats"]
    if any(seat.get("faultCount") or seat.get("houseDecisions") for seat in seats):
        raise FailedError(f"faults at several nodes: {seats}")
