"""Bots created by `bridgemaster new-bot`, and the complete bots of the pages in their place."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .catalogue import Language
from .processes import TOP, FailedError, check_bot, play_there, shell, timed
from .round_trips import RoundTrips, measure

COMPLETE = re.compile(r"import |use |#include ")
"""A pattern of complete programs, not of fragments; `RUNS` must match too."""
RUNS = re.compile(r"\brun(_each|Each)?\(|\bRun(Each)?\(")


@dataclass(frozen=True)
class Result:
    """The results for the template of a language."""

    first_match_s: float
    """Time from an empty folder to the end of the first match, in seconds, without downloads."""
    checks: int
    """Number of checks of `check-bot`, all of which passed."""
    round_trips: RoundTrips | None
    """The round trips, which are measured only for the table of the page."""


@dataclass(frozen=True)
class NewBot:
    """A folder created by `new-bot`."""

    folder: Path
    build: str
    """The command that builds it with the library of this repository, as `new-bot` prints it."""
    play: str
    """The command in its README that plays."""

    @property
    def source(self) -> Path:
        """Return the source file of the bot, the first link in its README."""
        named = re.search(r"\]\(([^)]+)\)", self.readme())
        if named is None:
            raise FailedError("the README of the new bot has no link to a file")
        return self.folder / named[1]

    @property
    def command(self) -> list[str]:
        """Return the command of the bot, the quoted part of the command that plays."""
        quoted = re.search(r'"([^"]+)"', self.play)
        if quoted is None:
            raise FailedError("the README of the new bot has no quoted command")
        return quoted[1].split()

    def readme(self) -> str:
        """Return the text of its README."""
        return (self.folder / "README.md").read_text()


def create(language: Language, program: Path, folder: Path) -> NewBot:
    """Create a bot in a folder, to be built with the library of this repository."""
    command = [program, "new-bot", "--language", language.name, "--checkout", TOP, folder]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    build = re.search(rf"^  cd {folder}\n  (.+)$", printed, re.M)
    block = re.search(r"^```sh\n(.+)\n(.+)\n```$", (folder / "README.md").read_text(), re.M)
    if build is None or block is None:
        raise FailedError(f"a command is missing in the README of the new bot, or in:\n{printed}")
    return NewBot(folder, build[1], block[2])


def share_build(folder: Path) -> None:
    """Let Cargo use the built packages of the workspace in a folder.

    Cargo reuses a package only if its profile is the same.
    """
    (TOP / "target").mkdir(exist_ok=True)
    (folder / "target").symlink_to(TOP / "target")
    profiles = re.search(
        r"^\[profile\.dev\]\n.*?(?=^\[profile\.test)", (TOP / "Cargo.toml").read_text(), re.M | re.S
    )
    if profiles is None:
        raise FailedError("Cargo.toml has no [profile.dev] before [profile.test...]")
    with (folder / ".cargo/config.toml").open("a") as config:
        config.write(profiles[0])


def test(language: Language, program: Path, time_limit: str, turns: int) -> Result:
    """Create, build, play and check a bot; then do the same with the bots of the pages."""
    with tempfile.TemporaryDirectory() as empty:
        folder = Path(empty, "my-bot")
        bots: list[NewBot] = []
        what = f"{language.name}: a new bot"
        took_s = timed(f"{what} is created", lambda: bots.append(create(language, program, folder)))
        bot = bots[0]
        # For the table, the bot is built as its author would build it.
        if language.shared_build and not turns:
            share_build(folder)
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
        for place, text in complete_bots(language).items():
            bot.source.write_text(text)
            if language.rebuild:
                timed(f"{language.name}: {place} is built", shell, language.rebuild, folder)
            timed(f"{language.name}: {place} plays", play_there, bot.play, program, folder)
    return Result(took_s, checks[0], trips[0] if trips else None)


def complete_bots(language: Language) -> dict[str, str]:
    """Return the bots of the pages by their position, each once, ignoring empty lines."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    for page in language.pages:
        blocks = re.findall(
            rf"^```{language.fence}\n(.+?)^```$", (TOP / page).read_text(), re.M | re.S
        )
        complete = [text for text in blocks if COMPLETE.search(text) and RUNS.search(text)]
        if not complete:
            raise FailedError(f"{page} has no complete bot in {language.name}")
        for text in complete:
            dense = re.sub(r"\n+", "\n", text)
            if dense not in seen:
                seen.add(dense)
                found[f"bot {len(found) + 1} of the pages, of {page},"] = text
    return found
