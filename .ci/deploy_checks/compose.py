"""deploy/compose.yaml: by its schema, and whether it fits to what it names."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from language_tests.processes import FailedError

from .sources import DEPLOY, PROGRAM, must, read, run, seconds, stopping_s

NAME = "compose.yaml"
STOP_MARGIN_S = 10
"""What a stop may take beyond the drain time and the stop time on a busy machine."""


def check() -> None:
    """Check all of it."""
    schema = ["--builtin-schema", "vendor.compose-spec"]
    run(sys.executable, "-m", "check_jsonschema", *schema, DEPLOY / NAME)
    compose = read(NAME)
    services = compose["services"]
    for name, service in services.items():
        check_names(name, service, compose)
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            is_there = (DEPLOY / source).exists() if source[0] == "." else source in named(compose)
            must(is_there, f"{NAME}: there is no volume {source}, which {name} names")
    check_secrets(compose)
    for name, service in servers(compose).items():
        grace_s = seconds(service["stop_grace_period"])
        must(grace_s >= stopping_s() + STOP_MARGIN_S, f"{NAME}: {name} is killed while it stops")
        asks = service["healthcheck"]["test"] == ["CMD", PROGRAM, "health"]
        must(asks, f"{NAME}: {name} is not asked for its health")
        address = advertised(service)
        published = [str(port).rpartition(":")[0] for port in service["ports"]]
        must(address in published, f"{NAME}: {name} is not reached at {address}")
    check_targets(compose)


def servers(compose: dict[str, Any]) -> dict[str, Any]:
    """Return the services that are servers."""
    services = compose["services"].items()
    return {name: each for name, each in services if each.get("command", [""])[0] == "serve"}


def advertised(service: dict[str, Any]) -> str:
    """Return the address at which bots reach a node."""
    [address] = [word.partition("=")[2] for word in service["command"] if "--advertise=" in word]
    return str(address)


def named(compose: dict[str, Any]) -> dict[str, Any]:
    """Return the volumes that have names."""
    return compose["volumes"]  # type: ignore[no-any-return]


def check_names(name: str, service: dict[str, Any], compose: dict[str, Any]) -> None:
    """Find what a service names in the rest of the file."""
    for other in service.get("depends_on", []):
        must(other in compose["services"], f"{NAME}: {name} depends on {other}, which is not there")
    for network in service.get("networks", []):
        is_there = network == "default" or network in compose["networks"]
        must(is_there, f"{NAME}: {name} is in the network {network}, which is not there")
    for port in service.get("ports", []):
        is_local = str(port).startswith("127.0.0.1:")
        must(is_local, f"{NAME}: {name} publishes {port} to other machines, without TLS")


def check_secrets(compose: dict[str, Any]) -> None:
    """See that the script makes each secret, once, and that no other user gets at them."""
    used = {secret for each in compose["services"].values() for secret in each.get("secrets", [])}
    must(used == set(compose["secrets"]), f"{NAME}: declares other secrets than services use")
    with made_secrets() as made:
        must(made.stat().st_mode & 0o077 == 0, "make-secrets leaves its folder open")
        files = {secret["file"] for secret in compose["secrets"].values()}
        found = {f"secrets/{path.name}" for path in made.iterdir()}
        must(found == files, f"make-secrets makes {found}, and {NAME} reads {files}")
        again = subprocess.run([made.with_name("make-secrets")], capture_output=True)
        must(again.returncode != 0, "make-secrets replaces secrets")


def check_targets(compose: dict[str, Any]) -> None:
    """See that Prometheus reads each server."""
    jobs = read("prometheus.yml")["scrape_configs"]
    groups = [group for job in jobs for group in job["static_configs"]]
    targets = {target for group in groups for target in group["targets"]}
    with made_secrets() as made:
        port = setting(made / "server.toml", "metrics").rpartition(":")[2]
    own = {f"{name}:{port}" for name in servers(compose)}
    must(targets == own, f"prometheus.yml reads {targets}, and the servers are {own}")


@contextmanager
def made_secrets() -> Iterator[Path]:
    """Give a folder of secrets, as the script makes it."""
    with tempfile.TemporaryDirectory() as folder:
        run(shutil.copy(DEPLOY / "make-secrets", folder))
        yield Path(folder, "secrets")


def setting(config: Path, name: str) -> str:
    """Return a text of the config file of a server."""
    found = re.search(rf'^{name} = "(.*)"$', config.read_text(), re.MULTILINE)
    if found is None:
        raise FailedError(f"{config.name} has no {name}")
    return found[1]
