"""Matches that the checks play."""

import json
import os
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from language_tests.processes import FailedError

LONG_CLOCKS = ("--startup-ms", "600000", "--time-control", "600/600")
"""Flags that prevent timeouts on a busy machine."""


@dataclass(frozen=True)
class Caller:
    """The program as a client of a server."""

    program: Path
    url: str
    key: str = ""
    authority: str = ""
    """The file with the certificate of the server's authority."""

    def variables(self) -> dict[str, str]:
        """Return the environment of the program."""
        settings = {"SERVER": self.url, "KEY": self.key, "CA": self.authority}
        return os.environ | {
            f"BRIDGEMASTER_{name}": each for name, each in settings.items() if each
        }

    def run(self, *arguments: str) -> str:
        """Run a command, and return its output."""
        command = [self.program, *arguments]
        done = subprocess.run(command, env=self.variables(), capture_output=True, text=True)
        if done.returncode != 0:
            raise FailedError(f"{self.url}: `{' '.join(arguments)}` failed: {done.stderr}")
        return done.stdout

    def create_match(self, *flags: str) -> tuple[str, list[str]]:
        """Create a match of two seats, and return its id and tickets."""
        output = self.run("match", "create", "--seats", "2", *LONG_CLOCKS, *flags, "--json")
        made = json.loads(output)
        return made["match"]["matchId"], [seat["ticket"] for seat in made["tickets"]]

    def start_bot(self, stack: ExitStack, name: str, ticket: str) -> "subprocess.Popen[bytes]":
        """Start a built-in bot, which is killed at the end."""
        bot = subprocess.Popen(
            [self.program, "bot", name],
            env=self.variables() | {"BRIDGEMASTER_TICKET": ticket},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(bot.wait)
        stack.callback(bot.kill)
        return bot

    def is_running(self, match: str) -> bool:
        """Return whether a match is running."""
        listed = json.loads(self.run("match", "list", "--json"))["matches"]
        states = {each["matchId"]: each["state"] for each in listed}
        return states.get(match) == "MATCH_STATE_RUNNING"

    def faults(self, match: str) -> int:
        """Wait until a match has ended, and return the number of its faults."""
        ended = json.loads(self.run("match", "result", match, "--wait", "--json"))
        return sum(seat.get("faultCount", 0) for seat in ended["result"]["seats"])
