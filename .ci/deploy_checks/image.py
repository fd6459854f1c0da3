"""deploy/Containerfile and .dockerignore."""

import fnmatch
import os
import re
import sys
from pathlib import Path

from language_tests.processes import TOP

from .sources import DEPLOY, PROGRAM, must, run, version

CONTAINERFILE = DEPLOY / "Containerfile"
EXCLUDED = ("target/debug/bridgemaster", ".git/config", "deploy/secrets/server.toml")
"""Examples of files that the image must not contain."""
SETTINGS = {".cargo/config.toml", "Cargo.lock", "Cargo.toml"}
"""Inputs of cargo that are not in the dependency files of rustc."""
MIN_SOURCES = 500
"""Minimum number of sources of the program."""


def check(program: Path) -> None:
    """Check both files."""
    run(Path(sys.executable).with_name("hadolint"), CONTAINERFILE)
    text = CONTAINERFILE.read_text()
    must(f":{version()} ." in text, "Containerfile: the version differs from Cargo.toml")
    cargo = (TOP / "Cargo.toml").read_text()
    oldest = re.search(r'^rust-version = "(.+)"$', cargo, re.MULTILINE)
    must(
        oldest and f"/rust:{oldest[1]}-" in text,
        "Containerfile: the Rust version differs from Cargo.toml",
    )
    must("[profile.dist]" in cargo, "Cargo.toml has no profile `dist`")
    must(f'ENTRYPOINT ["{PROGRAM}"]' in text, f"Containerfile: does not start {PROGRAM}")
    ignored = patterns()
    for path in EXCLUDED:
        must(is_ignored(path, ignored), f".dockerignore does not exclude {path}")
    sources = built_from(program) | SETTINGS
    must(len(sources) > MIN_SOURCES, f"only {len(sources)} sources were found")
    for path in sources:
        must(not is_ignored(path, ignored), f".dockerignore excludes {path}, which the build needs")


def patterns() -> list[str]:
    """Return the patterns of .dockerignore, which has no exceptions."""
    lines = [line.strip() for line in (TOP / ".dockerignore").read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def is_ignored(path: str, ignored: list[str]) -> bool:
    """Return whether a pattern matches a path of the repository, or one of its parent folders."""
    parts = path.split("/")
    above = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    for pattern in ignored:
        if pattern.startswith("**/"):
            if any(fnmatch.fnmatchcase(part, pattern[3:]) for part in parts):
                return True
        elif any(fnmatch.fnmatchcase(each, pattern) for each in above):
            return True
    return False


def built_from(program: Path) -> set[str]:
    """Return the sources of the crates of the repository, from the dependency files of rustc."""
    found = set()
    for noted in program.parent.glob("deps/bridgemaster*.d"):
        for line in noted.read_text().splitlines():
            paths = line.partition(": ")[2].split()
            found.update(os.path.normpath(path) for path in paths if not path.startswith("/"))
    return {path for path in found if not path.startswith(("..", "target/"))}
