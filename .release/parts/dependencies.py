"""The crates in the program, as cargo resolves them for Linux: without tests and build scripts."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .release import FailedError, run

ROOT = "bridgemaster"


@dataclass(frozen=True)
class Crate:
    """A crate of the program."""

    id: str
    name: str
    version: str
    licence: str
    repository: str
    is_own: bool
    folder: Path
    needs: tuple[str, ...]
    """The ids of the crates with which this crate is built."""

    @property
    def purl(self) -> str:
        """Return its package URL."""
        return f"pkg:cargo/{self.name}@{self.version}"


@cache
def crates() -> tuple[Crate, ...]:
    """Return the program's crates, sorted by name and version; the first is the program."""
    found: dict[str, Crate] = {}
    for machine in ("x86_64", "aarch64"):
        platform = f"--filter-platform={machine}-unknown-linux-gnu"
        command = ("cargo", "metadata", "--locked", "--format-version=1", platform)
        metadata = json.loads(run(*command))
        packages = {package["id"]: package for package in metadata["packages"]}
        nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
        [root] = [package["id"] for package in packages.values() if package["name"] == ROOT]
        waiting = [root]
        while waiting:
            crate = waiting.pop()
            needs = tuple(sorted(needed(nodes[crate])))
            waiting += [other for other in needs if other not in found]
            found[crate] = described(packages[crate], needs)
    return tuple(
        sorted(found.values(), key=lambda crate: (crate.name != ROOT, crate.name, crate.version))
    )


def needed(node: dict[str, Any]) -> set[str]:
    """Return the crates that a crate links."""
    return {
        dependency["pkg"]
        for dependency in node["deps"]
        if any(kind["kind"] is None for kind in dependency["dep_kinds"])
    }


def described(package: dict[str, Any], needs: tuple[str, ...]) -> Crate:
    """Return a crate from the metadata of cargo."""
    licence = (package["license"] or "").replace("/", " OR ")
    if not licence:
        raise FailedError(f"{package['name']} {package['version']} names no licence")
    folder = Path(package["manifest_path"]).parent
    is_own = package["source"] is None
    repository = package["repository"] or ""
    names = (package["id"], package["name"], package["version"])
    return Crate(*names, licence, repository, is_own, folder, needs)
