"""The services of deploy/compose.yaml, as processes on loopback ports."""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from language_tests.database import database
from language_tests.ports import free_port
from language_tests.processes import FailedError, run_program, wait_until

from . import compose, kubernetes, proxies
from .matches import Caller
from .prometheus import Prometheus, prometheus
from .proxies import Node
from .queries import Query, grouped_by, of_alarms, of_dashboard, selectors, without_comparisons
from .sources import must, read

PROMETHEUS_LABELS = {"instance", "job"}
"""Labels that Prometheus adds."""


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
        servers = {
            name: stack.enter_context(server(program, service["command"], config, ports[name]))
            for name, service in services.items()
        }
        key = run_program(program, "key", "add", "organiser", *scopes(), "--store", url).strip()
        cause_faults([Caller(program, each.url, key) for each in servers.values()])
        targets = [each.metrics for each in servers.values()]
        with prometheus(prometheus_program, folder, targets) as running:
            for query in of_alarms() + of_dashboard():
                check_query(running, query)
            for rule in running.rules():
                must(rule["health"] == "ok", f"{rule['name']}: {rule.get('lastError')}")
        proxies.check(program, servers, key, folder)
        kubernetes.check_memory(program, url)


def scopes() -> list[str]:
    """Return the flags of a key with the scopes of the check."""
    return [word for scope in ("create", "play", "read") for word in ("--scope", scope)]


@contextmanager
def server(program: Path, command: list[str], config: Path, port: int) -> Iterator[Node]:
    """Start a server by its command, with addresses of this machine instead of the container's."""
    replaced = ("--config=", "--node-address=")
    arguments = [word for word in command if not word.startswith(replaced)]
    must(len(arguments) + 2 == len(command), f"{compose.NAME}: a node lacks config or address")
    local = {"config": config, "listen": f"127.0.0.1:{port}", "page": "127.0.0.1:0"}
    local["node-address"] = local["listen"]
    arguments += [f"--{flag}={value}" for flag, value in local.items()]
    arguments += ["--metrics=127.0.0.1:0", f"--page-host={proxies.PAGE_HOST}"]
    # HAProxy must notice a drain even on a busy machine.
    arguments += ["--drain-time=60"]
    log = config.with_name(f"{port}.log").open("w+")
    process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        must(process.stdout, "the server has no output")
        lines = [process.stdout.readline() for _ in range(3)] if process.stdout else []
        metrics = re.search(r"http://(\S+)/metrics", "".join(lines))
        page = re.search(r"page at http://(\S+)/", "".join(lines))
        if metrics is None or page is None:
            raise FailedError(f"{arguments}: {lines}: {Path(log.name).read_text()}")
        url = f"http://127.0.0.1:{port}"
        must(
            run_program(program, "cluster", "health", "--server", url) == "SERVING\n",
            f"{url} is not serving",
        )
        yield Node(process, url, metrics[1], page[1])
    finally:
        process.kill()
        process.wait()
        log.close()


def cause_faults(callers: list[Caller]) -> None:
    """Play a match in which a bot disappears on each server, so that there is a fault to count."""
    with ExitStack() as stack:
        made = [(caller, *caller.create_match("--reconnect-ms", "1")) for caller in callers]
        for caller, match, tickets in made:
            # A human player who never decides.
            silent = caller.start_bot(stack, "human", tickets[0])
            caller.start_bot(stack, "random", tickets[1])
            wait_until(lambda caller=caller, match=match: caller.is_running(match))  # type: ignore[misc]
            silent.kill()
        for caller, match, _ in made:
            must(caller.faults(match) > 0, f"{caller.url}: the lost bot caused no fault")


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
