"""The checks of a ladder after its run."""

from itertools import pairwise
from typing import Any

from language_tests.processes import FailedError

from .bots import KINDS, kind_of
from .organiser import Organiser, Row

MATCHES_APART = 100
"""Number of matches per bot from which the kinds must differ in rank."""


def must(holds: bool, otherwise: str) -> None:
    """Fail with this message unless the condition is true."""
    if not holds:
        raise FailedError(otherwise)


def line(row: Row) -> tuple[tuple[str, str], ...]:
    """Return a row as a hashable value."""
    return tuple(sorted(row.items()))


def check_nothing_changed(before: list[Row], now: list[Row]) -> None:
    """Check that earlier results are unchanged."""
    missing = {line(row) for row in before} - {line(row) for row in now}
    must(not missing, f"{len(missing)} results were lost or changed, such as {list(missing)[:1]}")


def all_over(rows: list[Row], server: list[dict[str, Any]]) -> bool:
    """Return whether each match of the server has ended and is in the results."""
    ids = {row["match_id"] for row in rows if row["match_id"]}
    return all(one["matchId"] in ids for one in server)


def check_results(rows: list[Row], server: list[dict[str, Any]], counted: int) -> None:
    """Check that no match is missing or duplicated."""
    seats = [(int(row["number"]), int(row["seat"])) for row in rows]
    must(len(seats) == len(set(seats)), "a seat of a match is in the results twice")
    numbers = {number for number, _ in seats}
    must(numbers == set(range(len(numbers))), "match numbers are missing")
    matches: dict[str, int] = {}
    for row in rows:
        if row["match_id"]:
            number = matches.setdefault(row["match_id"], int(row["number"]))
            must(number == int(row["number"]), f"the match {row['match_id']} has two numbers")
    listed = [one["matchId"] for one in server]
    must(len(listed) == len(set(listed)), "the server lists a match twice")
    must(set(listed) == set(matches), "the matches of server and ladder differ")
    rated = [row for row in rows if row["purpose"] == "rated"]
    played = [row for row in rated if row["outcome"] == "played"]
    must(len({row["number"] for row in played}) == counted, "the number of counted matches differs")
    forfeited = [row for row in rows if row["forfeited"] == "true"]
    must(not forfeited, f"seats were forfeited, such as {forfeited[:1]}")
    again = [row["replaces"] for row in rated if row["seat"] == "0" and row["replaces"]]
    replayed = [row for row in played if row["seat"] == "0" and row["replaces"]]
    ones = {row["replaces"] for row in replayed}
    must(len(ones) == len(replayed), "an annulled match was replayed twice")
    annulled = {row["number"] for row in rated if row["outcome"] == "annulled"}
    must(set(again) <= annulled, "a match was replayed that was not annulled")


def check_standings(standings: list[dict[str, Any]], bots: int, counted: int) -> None:
    """Check that every bot is rated, none is benched, and that kinds differ in rank."""
    benched = [one for one in standings if "BENCHED" in str(one)]
    must(not benched, f"bots were benched, such as {benched[:1]}")
    must(len(standings) == bots, f"{len(standings)} of {bots} bots are in the standings")
    if 2 * counted < MATCHES_APART * bots:
        return
    # By ranks, which are based on pairwise comparisons. Elo is relative to the mean of all bots: if
    # some lose nearly always, the mean is uncertain, and all intervals are wide.
    ends: dict[int, tuple[int, int]] = {}
    for one in standings:
        strength = kind_of(one["botName"]).strength
        rating = one["rating"]
        if strength is not None:
            best, worst = ends.get(strength, (len(standings), 1))
            ends[strength] = (min(best, rating["rankBest"]), max(worst, rating["rankWorst"]))
    in_order = [ends[strength] for strength in sorted(ends)]
    for (best, _), (_, worst) in pairwise(in_order):
        must(worst < best, f"the ranks of the kinds overlap: {ends}")


def check_ratings(organiser: Organiser) -> None:
    """Check that the ratings follow from the results."""
    must("are identical" in organiser.recompute(), "the ratings differ from the computed ones")


def of_kinds(standings: list[dict[str, Any]]) -> str:
    """Format the range of ratings of each kind."""
    words = []
    for kind in KINDS:
        of_kind = [one for one in standings if kind_of(one["botName"]) == kind]
        # A bot without a rated match has no rating.
        elos = sorted(one["rating"].get("elo", 0.0) for one in of_kind if "rating" in one)
        if elos:
            words.append(f"{kind.name} {elos[0]:.0f} to {elos[-1]:.0f}")
    return "; ".join(words)
