"""SHA256SUMS: the digests of all files; action.sha256: those of the programs, for the Action."""

import hashlib

from .release import Release

NAME = "SHA256SUMS"
ACTION = "action.sha256"
"""Committed as .release/action.sha256 after the release."""


def build(release: Release) -> None:
    """Write the digests, in the format of `sha256sum --check`."""
    files = sorted(
        path
        for path in release.folder.rglob("*")
        if path.is_file() and path.name not in (NAME, ACTION)
    )
    lines = []
    for path in files:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f"{digest}  {path.relative_to(release.folder).as_posix()}\n")
    (release.folder / NAME).write_text("".join(lines))
    programs = [line for line in lines if line.endswith("-linux.tar.gz\n")]
    (release.folder / ACTION).write_text("".join(programs))
