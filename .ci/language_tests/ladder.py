"""Bots of all languages on one ladder, until a number of matches count."""

import csv
import io
import tempfile
from pathlib import Path

from .catalogue import LANGUAGES
from .processes import (
    LONG_CLOCKS,
    TIMEOUT_S,
    FailedError,
    bots,
    run_json,
    run_program,
    server,
    wait_until,
)
from .sample import command_of

LADDER = "languages"
GAME = "bridges_to_nowhere"
"""A game with short matches and simultaneous decisions."""
SLOTS = "2"
MATCH_S = 10.0
"""Maximum duration of a match, in seconds; far longer than usual."""


def test(program: Path, matches: int) -> None:
    """Let a bot of each language attend, and check that no seat has a fault."""
    with (
        tempfile.TemporaryDirectory() as data,
        bots() as start,
        server(program, data, "127.0.0.1:0") as (_, url),
    ):
        at = ("--server", url)
        flags = ("--game", GAME, "--seats", "2", "--referee-lag-limit-ms", "60000", *LONG_CLOCKS)
        run_program(program, "ladder", "create", *at, LADDER, *flags)
        here = {
            language.name: start(
                command_of(language, program),
                url,
                BRIDGEMASTER_QUEUE=LADDER,
                BRIDGEMASTER_SLOTS=SLOTS,
            )
            for language in LANGUAGES
        }

        def is_done() -> bool:
            gone = [name for name, bot in here.items() if bot.poll() is not None]
            if gone:
                raise FailedError(f"these bots left the ladder: {', '.join(gone)}")
            return len(counted(program, at)) >= 2 * matches

        wait_until(is_done, TIMEOUT_S + matches * MATCH_S)
        check(
            counted(program, at),
            run_json(program, "match", "list", *at, "--all", "--json")["matches"],
        )


def counted(program: Path, at: tuple[str, str]) -> list[dict[str, str]]:
    """Return a row for each seat of each match that counts."""
    text = run_program(program, "ladder", "results", *at, LADDER)
    rows = csv.DictReader(io.StringIO(text))
    return [row for row in rows if row["purpose"] == "rated" and row["outcome"] == "played"]


def check(seats: list[dict[str, str]], listed: list[dict[str, object]]) -> None:
    """Check that each bot has played, and that no match had a fault."""
    here = {seat["bot_name"] for seat in seats}
    if len(here) < len(LANGUAGES):
        raise FailedError(f"only these bots played: {', '.join(sorted(here))}")
    if any(seat["forfeited"] != "false" for seat in seats):
        raise FailedError("a seat was forfeited")
    faulty = [each for each in listed if "faultCount" in str(each) or "houseDecisions" in str(each)]
    if faulty:
        raise FailedError(f"{len(faulty)} matches had faults, such as {faulty[0]}")
