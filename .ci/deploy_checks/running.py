"""The services of deploy/compose.yaml, as processes on loopback ports."""

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
from language_tests.processes import FailedError, run_json, run_program, wait_until

from . import compose
from .prometheus import Prometheus, prometheus
from .queries import Query, grouped_by, of_alarms, of_dashboard, selectors, without_comparisons
from .sources import must, read

PROMETHEUS_LABELS = {"instance", "job"}
"""Labels that Prometheus adds."""


@dataclass(frozen=True)
class RunningServer:
    """A running server."""

    url: str
    metrics: str


def check(program: Path, prometheus_program: Path) -> None:
    """Start the services, let a bot fail, and run the queries of alarms and dashboard."""
    with ExitStack() as stack:
        secrets = stack.enter_context(compose.generated_secrets())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        store, config = folder / "database", folder / "server.toml"
        store.mkdir()
        port = stack.enter_context(database(store, (secrets / "database-password").read_text()))
        text = (secrets / "server.toml").read_text()
        must("@database/" in text, "the server's config does not use the database of compose.yaml")
        config.write_text(text.replace("@database/", f"@127.0.0.1:{port}/"))
        url = compose.setting(config, "store")
        services = compose.servers(read(compose.NAME))
        ports = {name: free_port() for name in services}
        servers = [
            stack.enter_context(server(program, service["command"], config, ports[name]))
            for name, service in services.items()
        ]
        key = run_program(program, "key", "add", "organizer", *scopes(), "--store", url).strip()
        cause_fault(program, [each.url for each in servers], key)
        targets = [each.metrics for each in servers]
        with prometheus(prometheus_program, folder, targets) as running:
            for query in of_alarms() + of_dashboard():
                check_query(running, query)
            for rule in running.rules():
                must(rule["health"] == "ok", f"{rule['name']}: {rule.get('lastError')}")


def scopes() -> list[str]:
    """Return the flags of a key with the scopes of the check."""
    return [word for scope in ("create", "play", "read") for word in ("--scope", scope)]


@contextmanager
def server(program: Path, command: list[str], config: Path, port: int) -> Iterator[RunningServer]:
    """Start a server by its command, with addresses of this machine instead of the container's."""
    replaced = ("--config=", "--node-address=")
    arguments = [word for word in command if not word.startswith(replaced)]
    must(len(arguments) + 2 == len(command), f"{compose.NAME}: a node lacks config or address")
    local = {"config": config, "listen": f"127.0.0.1:{port}", "page": "127.0.0.1:0"}
    local["node-address"] = local["listen"]
    arguments += [f"--{flag}={value}" for flag, value in local.items()]
    arguments += ["--metrics=127.0.0.1:0"]
    log = config.with_name(f"{port}.log").open("w+")
    process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        must(process.stdout, "the server has no output")
        lines = [process.stdout.readline() for _ in range(3)] if process.stdout else []
        metrics = re.search(r"http://(\S+)/metrics", "".join(lines))
        if metrics is None:
            raise FailedError(f"{arguments}: {lines}: {Path(log.name).read_text()}")
        url = f"http://127.0.0.1:{port}"
        must(
            run_program(program, "cluster", "health", "--server", url) == "SERVING\n",
            f"{url} is not serving",
        )
        yield RunningServer(url, metrics[1])
    finally:
        process.kill()
        process.wait()
        log.close()


def cause_fault(program: Path, urls: list[str], key: str) -> None:
    """Play a match on each server in which a bot disappears, so that there is a fault to count."""
    at = {url: os.environ | {"BRIDGEMASTER_SERVER": url, "BRIDGEMASTER_KEY": key} for url in urls}
    with ExitStack() as stack:
        made = {url: make_match(program, url, key) for url in urls}
        for url, (_, tickets) in made.items():
            # A human player who never decides.
            silent = start_bot(stack, program, "human", at[url], tickets[0])
            start_bot(stack, program, "random", at[url], tickets[1])
            match = made[url][0]
            wait_until(lambda url=url, match=match: is_running(program, url, key, match))  # type: ignore[misc]
            silent.kill()
        for url, (match, _) in made.items():
            run_program(program, "match", "result", match, "--wait", "--server", url, "--key", key)


def make_match(program: Path, url: str, key: str) -> tuple[str, list[str]]:
    """Create a match, and return its id and tickets."""
    flags = ["--seats", "2", "--startup-ms", "600000", "--reconnect-ms", "1", "--json"]
    flags += ["--bank-ms", "600000", "--cap-ms", "600000"]
    made = run_json(program, "match", "create", *flags, "--server", url, "--key", key)
    return made["match"]["matchId"], [seat["ticket"] for seat in made["tickets"]]


def start_bot(
    stack: ExitStack, program: Path, name: str, variables: dict[str, str], ticket: str
) -> "subprocess.Popen[bytes]":
    """Start a bot, which is killed at the end."""
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
    """Return whether a match is running."""
    listed: Any = run_json(program, "match", "list", "--json", "--server", url, "--key", key)
    states = {each["matchId"]: each["state"] for each in listed["matches"]}
    return states.get(match) == "MATCH_STATE_RUNNING"


def check_query(running: Prometheus, query: Query) -> None:
    """Check that each part of a query has data, and that its labels exist."""
    labels = set(PROMETHEUS_LABELS)
    for selector in selectors(query.text):
        series = running.query(selector)
        must(series, f"{query.where}: there is no series {selector}")
        labels.update(*series)
    unknown = grouped_by(query.text) - labels
    must(not unknown, f"{query.where}: no series has the label {unknown}")
    found = running.query(without_comparisons(query.text))
    must(found, f"{query.where}: no result: {without_comparisons(query.text)}")
    for labels_of_one in found:
        missing = query.labels - set(labels_of_one)
        must(not missing, f"{query.where}: the result has no labels {missing}")
