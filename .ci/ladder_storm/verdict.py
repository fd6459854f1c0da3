"""What must be true of the ladder in the end."""

from itertools import pairwise
from typing import Any

from language_tests.processes import FailedError

from .desk import Desk, Row
from .field import KINDS, kind_of

MATCHES_APART = 100
"""Matches of a bot from which on kinds are to be told apart."""


def must(holds: bool, otherwise: str) -> None:
    """Fail if something does not hold."""
    if not holds:
        raise FailedError(otherwise)


def line(row: Row) -> tuple[tuple[str, str], ...]:
    """Return a row as something that is in a set."""
    return tuple(sorted(row.items()))


def check_nothing_changed(before: list[Row], now: list[Row]) -> None:
    """Check that what was told of matches that were over still holds."""
    missing = {line(row) for row in before} - {line(row) for row in now}
    must(not missing, f"{len(missing)} results are lost or changed, such as {list(missing)[:1]}")


def all_over(rows: list[Row], server: list[dict[str, Any]]) -> bool:
    """Tell whether each match of the server is over, and in the results."""
    ids = {row["match_id"] for row in rows if row["match_id"]}
    return all(one["matchId"] in ids for one in server)


def check_results(rows: list[Row], server: list[dict[str, Any]], counted: int) -> None:
    """Check that nothing is lost and nothing is there twice."""
    seats = [(int(row["number"]), int(row["seat"])) for row in rows]
    must(len(seats) == len(set(seats)), "a seat of a match is there twice")
    numbers = {number for number, _ in seats}
    must(numbers == set(range(len(numbers))), "numbers of matches are missing")
    matches: dict[str, int] = {}
    for row in rows:
        if row["match_id"]:
            number = matches.setdefault(row["match_id"], int(row["number"]))
            must(number == int(row["number"]), f"the match {row['match_id']} is there twice")
    listed = [one["matchId"] for one in server]
    must(len(listed) == len(set(listed)), "the server lists a match twice")
    must(set(listed) == set(matches), "the matches of server and ladder are not the same")
    rated = [row for row in rows if row["purpose"] == "rated"]
    played = [row for row in rated if row["outcome"] == "played"]
    must(len({row["number"] for row in played}) == counted, "another number of matches counts")
    forfeited = [row for row in rows if row["forfeited"] == "true"]
    must(not forfeited, f"seats were forfeited, such as {forfeited[:1]}")
    again = [row["replaces"] for row in rated if row["seat"] == "0" and row["replaces"]]
    replayed = [row for row in played if row["seat"] == "0" and row["replaces"]]
    ones = {row["replaces"] for row in replayed}
    must(len(ones) == len(replayed), "an annulled match was played again twice")
    annulled = {row["number"] for row in rated if row["outcome"] == "annulled"}
    must(set(again) <= annulled, "a match was played again that was not annulled")


def check_standings(standings: list[dict[str, Any]], bots: int, counted: int) -> None:
    """Check that every bot is rated, none is benched, and kinds are apart if they have to be."""
    benched = [one for one in standings if "BENCHED" in str(one)]
    must(not benched, f"bots were benched, such as {benched[:1]}")
    must(len(standings) == bots, f"{len(standings)} of {bots} bots stand on the ladder")
    if 2 * counted < MATCHES_APART * bots:
        return
    # By ranks, which compare each two bots. Elo is beside the mean of all: where some bots lose
    # nearly always, that mean is hardly known, and the intervals of all are wide.
    ends: dict[int, tuple[int, int]] = {}
    for one in standings:
        strength = kind_of(one["botName"]).strength
        rating = one["rating"]
        if strength is not None:
            best, worst = ends.get(strength, (len(standings), 1))
            ends[strength] = (min(best, rating["rankBest"]), max(worst, rating["rankWorst"]))
    in_order = [ends[strength] for strength in sorted(ends)]
    for (best, _), (_, worst) in pairwise(in_order):
        must(worst < best, f"kinds are not apart: their ranks are {ends}")


def check_ratings(desk: Desk) -> None:
    """Check that the ratings follow from the results alone."""
    must("to the last digit" in desk.recompute(), "the ratings are not those of the results")


def of_kinds(standings: list[dict[str, Any]]) -> str:
    """Return the ratings of each kind, in words."""
    words = []
    for kind in KINDS:
        ratings = [one["rating"] for one in standings if kind_of(one["botName"]) == kind]
        elos = sorted(rating.get("elo", 0.0) for rating in ratings)
        if elos:
            words.append(f"{kind.name} {elos[0]:.0f} to {elos[-1]:.0f}")
    return "; ".join(words)
