"""deploy/Containerfile and .dockerignore."""

import fnmatch
import os
import re
import sys
from pathlib import Path

from language_tests.processes import TOP

from .sources import DEPLOY, PROGRAM, must, run

CONTAINERFILE = DEPLOY / "Containerfile"
KEPT_OUT = ("target/debug/bridgemaster", ".git/config", "deploy/secrets/server.toml")
"""What must not come into the image."""
SETTINGS = {".cargo/config.toml", "Cargo.lock", "Cargo.toml"}
"""What cargo builds by, and rustc does not note."""
MANY = 500
"""The program has more sources than this."""


def check(program: Path) -> None:
    """Check both."""
    run(Path(sys.executable).with_name("hadolint"), CONTAINERFILE)
    text = CONTAINERFILE.read_text()
    cargo = (TOP / "Cargo.toml").read_text()
    oldest = re.search(r'^rust-version = "(.+)"$', cargo, re.MULTILINE)
    must(oldest and f"/rust:{oldest[1]}-" in text, "Containerfile: not the Rust of Cargo.toml")
    must("[profile.dist]" in cargo, "Cargo.toml has no profile `dist`")
    must(f'ENTRYPOINT ["{PROGRAM}"]' in text, f"Containerfile: does not start {PROGRAM}")
    ignored = patterns()
    for path in KEPT_OUT:
        must(is_ignored(path, ignored), f".dockerignore lets {path} into the image")
    sources = built_from(program) | SETTINGS
    must(len(sources) > MANY, f"there are only {len(sources)} sources")
    for path in sources:
        must(not is_ignored(path, ignored), f".dockerignore keeps {path} out, which is built from")


def patterns() -> list[str]:
    """Return the patterns of .dockerignore; it has no exceptions."""
    lines = [line.strip() for line in (TOP / ".dockerignore").read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def is_ignored(path: str, ignored: list[str]) -> bool:
    """Tell whether a pattern matches a path of the repository, or a folder that it is in."""
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
    """Return the files of the repository that its crates were built from, as rustc has noted."""
    found = set()
    for noted in program.parent.glob("deps/bridgemaster*.d"):
        for line in noted.read_text().splitlines():
            paths = line.partition(": ")[2].split()
            found.update(os.path.normpath(path) for path in paths if not path.startswith("/"))
    return {path for path in found if not path.startswith(("..", "target/"))}
