"""The arguments in deploy/: read by the program itself."""

import os
import re
import subprocess
from pathlib import Path

from . import compose, kubernetes
from .sources import must, read, read_all


def check(program: Path) -> None:
    """Let the program read each list of arguments; with `--help` at the end it starts nothing."""
    services = compose.servers(read(compose.NAME))
    lists = {f"{compose.NAME}: {name}": each["command"] for name, each in services.items()}
    container = kubernetes.only_container(read_all(kubernetes.NAME))
    variables = {each["name"] for each in container["env"]}
    lists[kubernetes.NAME] = [filled_in(word, variables) for word in container["args"]]
    lists["the command of the probes"] = container["readinessProbe"]["exec"]["command"][1:]
    for where, arguments in lists.items():
        refused = read_by(program, arguments)
        must(not refused, f"{where}: {refused}")
    unknown = read_by(program, ["serve", "--no-such-flag"])
    must(unknown, "the program takes a flag that it has not")


def filled_in(word: str, variables: set[str]) -> str:
    """Return an argument with something in place of the variables of its pod."""
    named = re.findall(r"\$\((\w+)\)", word)
    must(
        variables.issuperset(named), f"{kubernetes.NAME}: {word} names a variable that is not there"
    )
    return re.sub(r"\$\(\w+\)", "some", word)


def read_by(program: Path, arguments: list[str]) -> str:
    """Return what the program says against arguments."""
    bare = {name: value for name, value in os.environ.items() if "BRIDGEMASTER" not in name}
    done = subprocess.run([program, *arguments, "--help"], capture_output=True, text=True, env=bare)
    return done.stderr if done.returncode else ""
