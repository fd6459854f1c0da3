"""A bot that `bridgemaster new-bot` makes, and the whole bots of the pages in its place."""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .catalogue import Language
from .processes import TOP, FailedError, check_bot, play_there, shell, timed
from .round_trips import RoundTrips, measure

WHOLE = re.compile(r"import |use |#include ")
"""What a program has that is no mere part of one, beside a call that runs the bot."""
RUNS = re.compile(r"\brun(_each|Each)?\(|\bRun(Each)?\(")


@dataclass(frozen=True)
class Made:
    """What was found out about the template of a language."""

    first_match_s: float
    """From nothing to the end of the first match, what was downloaded before not counted."""
    checks: int
    """Checks of `check-bot`, all of which passed."""
    round_trips: RoundTrips | None
    """Measured only for the table of the page."""


@dataclass(frozen=True)
class NewBot:
    """A folder that `new-bot` has made."""

    folder: Path
    build: str
    """The command of its README that builds."""
    play: str
    """The one that plays."""

    @property
    def source(self) -> Path:
        """Return the file of the bot, which its README names first."""
        named = re.search(r"\]\(([^)]+)\)", self.readme())
        if named is None:
            raise FailedError("the README of the new bot names no file")
        return self.folder / named[1]

    @property
    def command(self) -> list[str]:
        """Return what starts the bot: what is quoted in the command that plays."""
        quoted = re.search(r'"([^"]+)"', self.play)
        if quoted is None:
            raise FailedError("the README of the new bot quotes no command")
        return quoted[1].split()

    def readme(self) -> str:
        """Return its README."""
        return (self.folder / "README.md").read_text()


def make(language: Language, program: Path, folder: Path) -> NewBot:
    """Make a bot in a folder, with the library of this repository."""
    flags = f"--language {language.name} --checkout {TOP}"
    play_there(f"bridgemaster new-bot {flags} {folder}", program, TOP)
    block = re.search(r"^```sh\n(.+)\n(.+)\n```$", (folder / "README.md").read_text(), re.M)
    if block is None:
        raise FailedError("the README of the new bot has no two commands")
    return NewBot(folder, block[1], block[2])


def test(language: Language, program: Path, time_limit: str, turns: int) -> Made:
    """Make a bot where nothing is, build it, let it play, and check it; then the bots of pages."""
    with tempfile.TemporaryDirectory() as empty:
        folder = Path(empty, "my-bot")
        bots: list[NewBot] = []
        what = f"{language.name}: a new bot"
        took_s = timed(f"{what} is made", lambda: bots.append(make(language, program, folder)))
        bot = bots[0]
        took_s += timed(f"{what} is built", shell, bot.build, folder)
        took_s += timed(f"{what} plays", play_there, bot.play, program, folder)
        checks: list[int] = []
        timed(
            f"{what} passes check-bot",
            lambda: checks.append(check_bot(program, bot.command, folder, time_limit)),
        )
        trips: list[RoundTrips] = []
        if turns:
            timed(
                f"{language.name}: round trips",
                lambda: trips.append(measure(language, bot.command, folder, program, turns)),
            )
        for place, text in whole_bots(language).items():
            bot.source.write_text(text)
            if language.rebuild:
                timed(f"{language.name}: {place} is built", shell, language.rebuild, folder)
            timed(f"{language.name}: {place} plays", play_there, bot.play, program, folder)
    return Made(took_s, checks[0], trips[0] if trips else None)


def whole_bots(language: Language) -> dict[str, str]:
    """Return the bots of the pages by where they are, each once, whatever its empty lines."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    for page in language.pages:
        blocks = re.findall(
            rf"^```{language.fence}\n(.+?)^```$", (TOP / page).read_text(), re.M | re.S
        )
        whole = [text for text in blocks if WHOLE.search(text) and RUNS.search(text)]
        if not whole:
            raise FailedError(f"{page} has no whole bot in {language.name}")
        for text in whole:
            dense = re.sub(r"\n+", "\n", text)
            if dense not in seen:
                seen.add(dense)
                found[f"bot {len(found) + 1} of the pages, of {page},"] = text
    return found
