"""The arguments in deploy/, checked by the program itself."""

import os
import re
import subprocess
from pathlib import Path

from . import compose, kubernetes
from .sources import must, read


def check(program: Path) -> None:
    """Let the program parse each list of arguments; `--help` at the end prevents a start."""
    services = compose.servers(read(compose.NAME))
    lists = {f"{compose.NAME}: {name}": each["command"] for name, each in services.items()}
    container = kubernetes.container()
    variables = {each["name"] for each in container["env"]}
    lists[kubernetes.NAME] = [substitute(word, variables) for word in container["args"]]
    lists["the command of the probes"] = container["readinessProbe"]["exec"]["command"][1:]
    for where, arguments in lists.items():
        refused = error_of(program, arguments)
        must(not refused, f"{where}: {refused}")
    unknown = error_of(program, ["serve", "--no-such-flag"])
    must(unknown, "the program accepts an unknown flag")


def substitute(word: str, variables: set[str]) -> str:
    """Return an argument in which placeholders replace the variables of its pod."""
    named = re.findall(r"\$\((\w+)\)", word)
    must(variables.issuperset(named), f"{kubernetes.NAME}: {word} refers to an unknown variable")
    return re.sub(r"\$\(\w+\)", "some", word)


def error_of(program: Path, arguments: list[str]) -> str:
    """Return the error of the program about arguments; empty without an error."""
    bare = {name: value for name, value in os.environ.items() if "BRIDGEMASTER" not in name}
    done = subprocess.run([program, *arguments, "--help"], capture_output=True, text=True, env=bare)
    return done.stderr if done.returncode else ""
