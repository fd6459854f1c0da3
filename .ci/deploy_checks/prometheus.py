"""A Prometheus that scrapes local servers."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import yaml
from language_tests.ports import free_port
from language_tests.processes import FailedError, wait_until

from .sources import DEPLOY, read

SCRAPES = 3
"""Number of scrapes of each server that are enough for rates."""


class Prometheus:
    """A running Prometheus."""

    def __init__(self, port: int) -> None:
        """Use the Prometheus at this port."""
        self.url = f"http://127.0.0.1:{port}/api/v1"

    def query(self, query: str) -> list[dict[str, str]]:
        """Return the labels of the current result of a query."""
        result = self.call("query", query=query)["result"]
        return [each["metric"] for each in result]

    def call(self, path: str, **parameters: str) -> Any:  # noqa: ANN401
        """Call the HTTP API."""
        try:
            with urlopen(f"{self.url}/{path}?{urlencode(parameters)}", timeout=30) as answer:
                return json.load(answer)["data"]
        except URLError as error:
            raise FailedError(f"Prometheus: {parameters}: {error}") from error

    def has_scraped(self, targets: int) -> bool:
        """Return whether all of this number of servers have been scraped often enough."""
        try:
            scraped = f"count_over_time(up[1m]) >= {SCRAPES} and sum_over_time(up[1m]) > 0"
            return len(self.query(scraped)) == targets
        except FailedError:
            return False

    def rules(self) -> list[dict[str, Any]]:
        """Return the rules with their last errors."""
        groups = self.call("rules")["groups"]
        return [rule for group in groups for rule in group["rules"]]


@contextmanager
def prometheus(program: Path, folder: Path, targets: list[str]) -> Iterator[Prometheus]:
    """Start a Prometheus with deploy/prometheus.yml, except for addresses and intervals."""
    config = read("prometheus.yml")
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(DEPLOY / name) for name in config["rule_files"]]
    [job] = config["scrape_configs"]
    job["static_configs"] = [{"targets": targets}]
    path = folder / "prometheus.yml"
    path.write_text(yaml.safe_dump(config))
    port = free_port()
    command: list[str | Path] = [
        program,
        f"--config.file={path}",
        f"--storage.tsdb.path={folder / 'series'}",
    ]
    command += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        running = Prometheus(port)
        wait_until(lambda: running.has_scraped(len(targets)))
        yield running
    finally:
        process.kill()
        process.wait()
