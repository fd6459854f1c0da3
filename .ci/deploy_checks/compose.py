"""deploy/compose.yaml: its schema and its references."""

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

from .sources import DEPLOY, PROGRAM, must, read, run, seconds, stopping_s, version

NAME = "compose.yaml"
STOP_MARGIN_S = 10
"""Additional time to stop on a busy machine, beyond the drain time and the stop time, in
seconds."""


def check() -> None:
    """Check the file."""
    schema = ["--builtin-schema", "vendor.compose-spec"]
    run(sys.executable, "-m", "check_jsonschema", *schema, DEPLOY / NAME)
    compose = read(NAME)
    services = compose["services"]
    for name, service in services.items():
        check_names(name, service, compose)
        is_limited = {"max-size", "max-file"} <= service["logging"]["options"].keys()
        must(is_limited, f"{NAME}: the log of {name} is not limited")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            exists = (DEPLOY / source).exists() if source[0] == "." else source in named(compose)
            must(exists, f"{NAME}: {name} refers to the volume {source}, which does not exist")
    check_secrets(compose)
    for name, service in servers(compose).items():
        grace_s = seconds(service["stop_grace_period"])
        must(grace_s >= stopping_s() + STOP_MARGIN_S, f"{NAME}: {name} is killed while stopping")
        must(service["image"] == f"bridgemaster:{version()}", f"{NAME}: {name} has no tag")
        is_checked = service["healthcheck"]["test"] == ["CMD", PROGRAM, "cluster", "health"]
        must(is_checked, f"{NAME}: {name} has no health check")
        listens_on = [str(port).rpartition(":")[2] for port in service["ports"]]
        address = node_address(service).partition(":")
        is_own = address[0] == name and address[2] in listens_on
        must(is_own, f"{NAME}: other nodes cannot reach {name} at {''.join(address)}")
    check_targets(compose)


def servers(compose: dict[str, Any]) -> dict[str, Any]:
    """Return the server services."""
    services = compose["services"].items()
    return {name: each for name, each in services if each.get("command", [""])[0] == "serve"}


def node_address(service: dict[str, Any]) -> str:
    """Return the address at which the other nodes reach a node."""
    flag = "--node-address="
    [address] = [word.removeprefix(flag) for word in service["command"] if flag in word]
    return str(address)


def named(compose: dict[str, Any]) -> dict[str, Any]:
    """Return the named volumes."""
    return compose["volumes"]  # type: ignore[no-any-return]


def check_names(name: str, service: dict[str, Any], compose: dict[str, Any]) -> None:
    """Check the references of a service."""
    for other in service.get("depends_on", []):
        must(
            other in compose["services"], f"{NAME}: {name} depends on {other}, which does not exist"
        )
    for network in service.get("networks", []):
        exists = network == "default" or network in compose["networks"]
        must(exists, f"{NAME}: {name} is in the network {network}, which does not exist")
    for port in service.get("ports", []):
        is_local = str(port).startswith("127.0.0.1:")
        must(is_local, f"{NAME}: {name} publishes {port} to other machines without TLS")


def check_secrets(compose: dict[str, Any]) -> None:
    """Check that the script generates each secret once, unreadable for other users."""
    used = {secret for each in compose["services"].values() for secret in each.get("secrets", [])}
    must(used == set(compose["secrets"]), f"{NAME}: declared and used secrets differ")
    with generated_secrets() as folder:
        must(folder.stat().st_mode & 0o077 == 0, "make-secrets leaves its folder open")
        files = {secret["file"] for secret in compose["secrets"].values()}
        found = {f"secrets/{path.name}" for path in folder.iterdir()}
        must(found == files, f"make-secrets generates {found}, but {NAME} reads {files}")
        again = subprocess.run([folder.with_name("make-secrets")], capture_output=True)
        must(again.returncode != 0, "make-secrets overwrites secrets")


def check_targets(compose: dict[str, Any]) -> None:
    """Check that Prometheus scrapes each server."""
    jobs = read("prometheus.yml")["scrape_configs"]
    groups = [group for job in jobs for group in job["static_configs"]]
    targets = {target for group in groups for target in group["targets"]}
    with generated_secrets() as folder:
        port = setting(folder / "server.toml", "metrics").rpartition(":")[2]
    own = {f"{name}:{port}" for name in servers(compose)}
    must(targets == own, f"prometheus.yml scrapes {targets}, but the servers are {own}")


@contextmanager
def generated_secrets() -> Iterator[Path]:
    """Run the script, and yield its folder of secrets."""
    with tempfile.TemporaryDirectory() as folder:
        run(shutil.copy(DEPLOY / "make-secrets", folder))
        yield Path(folder, "secrets")


def setting(config: Path, name: str) -> str:
    """Return a string from the config file of a server."""
    found = re.search(rf'^{name} = "(.*)"$', config.read_text(), re.MULTILINE)
    if found is None:
        raise FailedError(f"{config.name} has no {name}")
    return found[1]
