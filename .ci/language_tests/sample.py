"""The sample bot of a language, in its folder in `bots`."""

import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from .catalogue import Generated, Language, Packed
from .processes import (
    LONG_CLOCKS,
    TIMEOUT_S,
    TOP,
    FailedError,
    bots,
    check_bot,
    decisions,
    play_there,
    run_json,
    server,
    shell,
    timed,
    wait_until,
)
from .readmes import commands_of, first_bot

DECISIONS_BEFORE_KILL = 10
"""Number of decisions before the server is killed, in the middle of the match."""

QUEUE = "cup"
"""The queue that the bots attend."""


def test(language: Language, program: Path, time_limit: str) -> None:
    """Test the built sample bot."""
    if language.generated:
        timed(f"{language.name}: generated code is current", check_generated, language.generated)
    timed(f"{language.name}: passes its own tests", shell, language.own_tests)
    timed(f"{language.name}: plays a match by its README", play, language, program)
    if language.packed:
        what = f"{language.name}: plays with its package in an empty folder"
        timed(what, play_packed, language.packed, program)
    command = bot_command(language)
    timed(f"{language.name}: passes check-bot", check_bot, program, command, TOP, time_limit)
    timed(f"{language.name}: survives a restart of the server", survive, language, program)
    timed(f"{language.name}: attends a queue", attend, language, program)


def check_generated(generated: Generated) -> None:
    """Generate the code again, and check that it is unchanged."""
    buf = os.environ.get("BRIDGEMASTER_BUF") or shutil.which("buf")
    if buf is None:
        if "CI" in os.environ:
            raise FailedError("with CI set, buf is required: set BRIDGEMASTER_BUF")
        print(f"{generated.folder}: not compared with the .proto files, since buf is not installed")
        return
    folder = TOP / generated.folder
    before = contents(folder)
    shell(generated.command, PATH=f"{Path(buf).parent}:{os.environ['PATH']}")
    if contents(folder) != before:
        raise FailedError(
            f"{generated.folder} was not up to date with the .proto files, and is now updated: "
            "commit it"
        )


def contents(folder: Path) -> dict[Path, bytes]:
    """Return the files in a folder with their contents."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def commands(language: Language) -> tuple[str, str]:
    """Return the two commands of a language's README."""
    return commands_of(f"bots/{language.name}/README.md")


def command_of(language: Language, program: Path) -> list[str]:
    """Return the command of a bot in any language, which can also attend."""
    if language.name == "rust":
        return [str(program), "bot", "random"]
    if language.name == "python":
        python = os.environ.get("BRIDGEMASTER_PYTHON", "sdk/python/.venv/bin/python")
        if not (TOP / python).exists():
            raise FailedError(f"{python} does not exist: run sdk/python/develop.py")
        return [python, "bots/python/sample_bot.py"]
    return bot_command(language)


def bot_command(language: Language) -> list[str]:
    """Return the command of the bot, the quoted part of the command that plays."""
    quoted = re.search(r'"([^"]+)"', commands(language)[1])
    if quoted is None:
        raise FailedError("the README has no quoted command of the bot")
    return quoted[1].split()


def build(language: Language) -> None:
    """Build with the command of the README."""
    shell(commands(language)[0])


def play(language: Language, program: Path) -> None:
    """Play with the command of the README."""
    play_there(commands(language)[1], program, TOP)


def play_packed(packed: Packed, program: Path) -> None:
    """Install the package in an empty folder, and play with the first bot of its README."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / packed.bot).write_text(first_bot(packed.readme, "js"))
        for command in packed.commands:
            shell(command.replace("TOP", str(TOP)), folder)
        play_there(commands_of(packed.readme)[1], program, folder)


def survive(language: Language, program: Path) -> None:
    """Restart the server in the middle of a match, and check that both bots play it to the end."""
    with tempfile.TemporaryDirectory() as data, bots() as start:
        with server(program, data, "127.0.0.1:0") as (killed, url):
            flags = ["--game", "alhambra", "--seats", "2", *LONG_CLOCKS]
            made = run_json(program, "match", "create", "--server", url, *flags, "--json")
            match = made["match"]["matchId"]
            first, second = (seat["ticket"] for seat in made["tickets"])
            bot = start(bot_command(language), url, BRIDGEMASTER_TICKET=first)
            other = start([str(program), "bot", "random"], url, BRIDGEMASTER_TICKET=second)
            wait_until(lambda: decisions(program, url, match) >= DECISIONS_BEFORE_KILL)
            killed.kill()
            killed.wait()
        with server(program, data, url.removeprefix("http://")):
            for process in (bot, other):
                if process.wait(TIMEOUT_S) != 0:
                    raise FailedError(
                        f"a bot exited with {process.returncode} after the kill of its server"
                    )
            seats = run_json(program, "match", "result", "--server", url, match, "--json")[
                "result"
            ]["seats"]
            if any(seat.get("faultCount") or seat.get("houseDecisions") for seat in seats):
                raise FailedError(f"faults after the kill of the server: {seats}")


def attend(language: Language, program: Path) -> None:
    """Attend the queue of a contest, which closes it at the end, and play all matches."""
    with (
        tempfile.TemporaryDirectory() as data,
        tempfile.TemporaryDirectory() as made,
        bots() as start,
        server(program, data, "127.0.0.1:0") as (_, url),
    ):
        folder = Path(made, "contest")
        entrants = ["--bot", "here=random", "--bot", f"there=@{language.name}-sample"]
        flags = [
            *("--game", "bridges_to_nowhere", "--server", url, "--queue", QUEUE, *entrants),
            *("--format", "round-robin", "--rounds", "1", "--concurrency", "2"),
            *("--referee-lag-limit-ms", "60000", *LONG_CLOCKS, "--folder", str(folder)),
        ]
        contest = start([str(program), "contest", *flags], url)
        bot = start(bot_command(language), url, BRIDGEMASTER_QUEUE=QUEUE, BRIDGEMASTER_SLOTS="2")
        if contest.wait(TIMEOUT_S) != 0:
            raise FailedError(f"the contest exited with {contest.returncode}")
        if bot.wait(TIMEOUT_S) != 0:
            raise FailedError(f"the bot exited with {bot.returncode} after the queue")
        results = (folder / "results.jsonl").read_text().splitlines()
        seats = [seat for line in results for seat in json.loads(line)["row"]["seats"]]
        played = [seat["end"]["how"] for seat in seats if seat["bot"] != 0]
        if played != ["attended", "attended"]:
            raise FailedError(f"unexpected ends of its matches: {played}")
