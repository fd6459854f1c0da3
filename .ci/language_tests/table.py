"""The table of docs/languages.md."""

import re

from .catalogue import Language
from .new_bot import Made
from .processes import TOP, FailedError

PAGE = TOP / "docs/languages.md"
HEAD = (
    "| language | a bot depends on | lines of the sample | to the first match | round trips/s "
    "| `check-bot` |\n|---|---|---|---|---|---|"
)
"""Round trips of the library, of those of a bare client."""
MADE = re.compile(r"(<!-- Made by `\.ci/languages --write-table`\. -->\n\n)\|.+?\n(?=\n)", re.S)


def row(language: Language, made: Made) -> str:
    """Return the row of a language in Markdown."""
    lines = len((TOP / language.sample).read_text().splitlines())
    trips = made.round_trips.text() if made.round_trips else "not measured"
    return (
        f"| {language.title} | {language.package} | {lines} | {made.first_match_s:.0f} s "
        f"| {trips} | {made.checks} of {made.checks} |"
    )


def text(rows: list[str]) -> str:
    """Return the table."""
    return "\n".join([HEAD, *rows, ""])


def write(rows: list[str]) -> None:
    """Put the table into the page."""
    page, count = MADE.subn(lambda found: found[1] + text(rows), PAGE.read_text())
    if count != 1:
        raise FailedError(f"{PAGE} has {count} places for the table")
    PAGE.write_text(page)
