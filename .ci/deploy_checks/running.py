"""What deploy/compose.yaml describes, as processes on loopback ports."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from language_tests.database import database
from language_tests.ports import free_port
from language_tests.processes import FailedError, ask, tell, until

from . import compose
from .prometheus import Prometheus, prometheus
from .queries import Query, grouped_by, looked_at, of_alarms, of_dashboard, selectors
from .sources import must, read

BY_PROMETHEUS = {"instance", "job"}
"""Labels that Prometheus itself gives."""


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    url: str
    metrics: str


def check(program: Path, prometheus_program: Path) -> None:
    """Start all of it, let a bot fail, and ask what alarms and dashboard ask."""
    with ExitStack() as stack:
        secrets = stack.enter_context(compose.made_secrets())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        store, config = folder / "database", folder / "server.toml"
        store.mkdir()
        port = stack.enter_context(database(store, (secrets / "database-password").read_text()))
        text = (secrets / "server.toml").read_text()
        must("@database/" in text, "the server's config does not name the database of compose.yaml")
        config.write_text(text.replace("@database/", f"@127.0.0.1:{port}/"))
        url = compose.setting(config, "store")
        services = compose.servers(read(compose.NAME))
        ports = {name: free_port() for name in services}
        servers = [
            stack.enter_context(server(program, service["command"], config, ports[name]))
            for name, service in services.items()
        ]
        key = tell(program, "key", "add", "organizer", *scopes(), "--store", url).strip()
        lose_a_bot(program, [each.url for each in servers], key)
        targets = [each.metrics for each in servers]
        with prometheus(prometheus_program, folder, targets) as running:
            for query in of_alarms() + of_dashboard():
                check_query(running, query)
            for rule in running.rules():
                must(rule["health"] == "ok", f"{rule['name']}: {rule.get('lastError')}")


def scopes() -> list[str]:
    """Return flags for a key that may do what the check does."""
    return [word for scope in ("create", "play", "read") for word in ("--scope", scope)]


@contextmanager
def server(program: Path, command: list[str], config: Path, port: int) -> Iterator[Served]:
    """Start a server by its command, but for the addresses that only a container has."""
    elsewhere = ("--config=", "--advertise=")
    arguments = [word for word in command if not word.startswith(elsewhere)]
    must(len(arguments) + 2 == len(command), f"{compose.NAME}: a node has a config and an address")
    here = {"config": config, "listen": f"127.0.0.1:{port}", "page": "127.0.0.1:0"}
    here["advertise"] = here["listen"]
    arguments += [f"--{flag}={value}" for flag, value in here.items()]
    arguments += ["--metrics=127.0.0.1:0"]
    log = config.with_name(f"{port}.log").open("w+")
    process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        must(process.stdout, "the server has an output")
        lines = [process.stdout.readline() for _ in range(3)] if process.stdout else []
        metrics = re.search(r"http://(\S+)/metrics", "".join(lines))
        if metrics is None:
            raise FailedError(f"{arguments}: {lines}: {Path(log.name).read_text()}")
        url = f"http://127.0.0.1:{port}"
        must(tell(program, "health", "--server", url) == "SERVING\n", f"{url} does not serve")
        yield Served(url, metrics[1])
    finally:
        process.kill()
        process.wait()
        log.close()


def lose_a_bot(program: Path, urls: list[str], key: str) -> None:
    """Play a match at each server, in which a bot goes away, so that it has a fault to count."""
    at = {url: os.environ | {"BRIDGEMASTER_SERVER": url, "BRIDGEMASTER_KEY": key} for url in urls}
    with ExitStack() as stack:
        made = {url: make_match(program, url, key) for url in urls}
        for url, (_, tickets) in made.items():
            # A person who never decides.
            silent = start_bot(stack, program, "human", at[url], tickets[0])
            start_bot(stack, program, "random", at[url], tickets[1])
            until(lambda url=url: is_running(program, url, key, made[url][0]))  # type: ignore[misc]
            silent.kill()
        for url, (match, _) in made.items():
            tell(program, "result", match, "--wait", "--server", url, "--key", key)


def make_match(program: Path, url: str, key: str) -> tuple[str, list[str]]:
    """Make a match, and return its identifier and tickets."""
    flags = ["--seats", "2", "--startup-ms", "600000", "--reconnect-ms", "1", "--json"]
    flags += ["--bank-ms", "600000", "--cap-ms", "600000"]
    made = ask(program, "create", *flags, "--server", url, "--key", key)
    return made["match"]["matchId"], [seat["ticket"] for seat in made["tickets"]]


def start_bot(
    stack: ExitStack, program: Path, name: str, variables: dict[str, str], ticket: str
) -> "subprocess.Popen[bytes]":
    """Start a bot, which is ended at last."""
    bot = subprocess.Popen(
        [program, "bot", name],
        env=variables | {"BRIDGEMASTER_TICKET": ticket},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stack.callback(bot.wait)
    stack.callback(bot.kill)
    return bot


def is_running(program: Path, url: str, key: str, match: str) -> bool:
    """Tell whether a match has begun."""
    listed: Any = ask(program, "list", "--json", "--server", url, "--key", key)
    states = {each["matchId"]: each["state"] for each in listed["matches"]}
    return states.get(match) == "MATCH_STATE_RUNNING"


def check_query(running: Prometheus, query: Query) -> None:
    """See that each part of a query finds something, and that its labels are there."""
    labels = set(BY_PROMETHEUS)
    for selector in selectors(query.text):
        series = running.ask(selector)
        must(series, f"{query.where}: there is no series {selector}")
        labels.update(*series)
    unknown = grouped_by(query.text) - labels
    must(not unknown, f"{query.where}: no series has the label {unknown}")
    found = running.ask(looked_at(query.text))
    must(found, f"{query.where}: gives nothing: {looked_at(query.text)}")
    for labels_of_one in found:
        missing = query.told - set(labels_of_one)
        must(not missing, f"{query.where}: tells {missing}, which its result has not")
