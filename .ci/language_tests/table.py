"""The table of docs/guides/bots/overview.md."""

import re

from .catalogue import Language
from .new_bot import Result
from .processes import TOP, FailedError

PAGE = TOP / "docs/guides/bots/overview.md"
HEAD = (
    "| language | a bot depends on | lines of the sample | to the first match | round trips/s "
    "| `check-bot` |\n|---|---|---|---|---|---|"
)
"""The column of round trips compares the library with a bare client."""
MADE = re.compile(r"(<!-- Made by `\.ci/languages --write-table`\. -->\n\n)\|.+?\n(?=\n)", re.S)


def row(language: Language, result: Result) -> str:
    """Format the row of a language in Markdown."""
    lines = len((TOP / language.sample).read_text().splitlines())
    trips = result.round_trips.text() if result.round_trips else "not measured"
    return (
        f"| {language.title} | {language.package} | {lines} | {result.first_match_s:.0f} s "
        f"| {trips} | {result.checks} of {result.checks} |"
    )


def text(rows: list[str]) -> str:
    """Format the table."""
    return "\n".join([HEAD, *rows, ""])


def write(rows: list[str]) -> None:
    """Write the table into the page."""
    page, count = MADE.subn(lambda found: found[1] + text(rows), PAGE.read_text())
    if count != 1:
        raise FailedError(f"{PAGE} has {count} tables instead of 1")
    PAGE.write_text(page)
