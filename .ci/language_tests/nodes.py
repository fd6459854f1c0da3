"""A bot at two nodes with one database, whose match is not on the node that it calls first."""

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
    LONG_CLOCKS,
    TIMEOUT_S,
    FailedError,
    bots,
    decisions,
    run_json,
    serving,
    timed,
    wait_until,
)
from .sample import command_of

PASSWORD = "of-the-test"
DECISIONS_BEFORE_KILL = 10
"""Number of decisions before the node is killed, in the middle of the match."""
DECISION_MS = "100"
"""Time of each decision of the opponent, so that the match lasts longer than this."""


def test(language: Language, program: Path) -> None:
    """Test the sample bot of a language, if PostgreSQL is installed."""
    if database.programs() is None and "CI" not in os.environ:
        print(f"{language.name}: not tested with several nodes, since PostgreSQL is not installed")
        return
    with nodes(program) as (entry, (playing, url)):
        what = f"{language.name}: finds its match on another node"
        timed(what, find, language, program, entry[1], url)
        what = f"{language.name}: resumes its match on another node"
        timed(what, resume, language, program, entry[1], (playing, url))


Node = tuple[subprocess.Popen[str], str]
"""The process and the address of a node."""


@contextmanager
def nodes(program: Path) -> Iterator[tuple[Node, Node]]:
    """Start two nodes with one database."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        port = stack.enter_context(database.database(Path(folder), PASSWORD))
        user = database.USER
        store = f"postgres://{user}:{PASSWORD}@127.0.0.1:{port}/{user}"

        def node(name: str) -> Node:
            address = f"127.0.0.1:{free_port()}"
            flags = ["--listen", address, "--node-address", address, "--node", name, "--no-page"]
            return stack.enter_context(serving(program, *flags, "--store", store))

        yield node("entry"), node("playing")


def bot_addresses(entry: str) -> str:
    """Return the addresses of a bot: one at which nothing listens, and one of a node."""
    return f"http://127.0.0.1:{free_port()}, {entry}"


def make_match(program: Path, url: str) -> tuple[str, list[str]]:
    """Create a match on a node, and return its id and tickets."""
    flags = ["--game", "alhambra", "--seats", "2", *LONG_CLOCKS, "--reconnect-ms", "600000"]
    made = run_json(program, "match", "create", "--server", url, *flags, "--json")
    return made["match"]["matchId"], [seat["ticket"] for seat in made["tickets"]]


def find(language: Language, program: Path, entry: str, playing: str) -> None:
    """Let a bot call a missing server, and then a node without its match."""
    match, (first, second) = make_match(program, playing)
    with bots() as start:
        command = command_of(language, program)
        bot = start(command, bot_addresses(entry), BRIDGEMASTER_TICKET=first)
        other = start([str(program), "bot", "random"], playing, BRIDGEMASTER_TICKET=second)
        check_end(program, entry, match, [bot, other])


def resume(language: Language, program: Path, entry: str, playing: Node) -> None:
    """Kill the node in the middle of a match; both bots resume on the node that takes it over."""
    process, url = playing
    match, (first, second) = make_match(program, url)
    with bots() as start:
        command = command_of(language, program)
        bot = start(command, bot_addresses(entry), BRIDGEMASTER_TICKET=first)
        slow = [str(program), "bot", "search", "--time-ms", DECISION_MS]
        other = start(slow, f"{url},{entry}", BRIDGEMASTER_TICKET=second)
        wait_until(lambda: decisions(program, url, match) >= DECISIONS_BEFORE_KILL)
        process.kill()
        if bot.poll() is not None:
            raise FailedError("the match was over before its node was killed")
        check_end(program, entry, match, [bot, other])


def check_end(program: Path, url: str, match: str, played: list["subprocess.Popen[bytes]"]) -> None:
    """Wait for the bots of a match, and check that it ended without a fault."""
    for process in played:
        if process.wait(TIMEOUT_S) != 0:
            raise FailedError(f"a bot exited with {process.returncode}")
    seats = run_json(program, "match", "result", "--server", url, match, "--json")["result"][
        "seats"
    ]
    if any(seat.get("faultCount") or seat.get("houseDecisions") for seat in seats):
        raise FailedError(f"faults of a seat: {seats}")
