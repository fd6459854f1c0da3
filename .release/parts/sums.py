"""SHA256SUMS: the digests of all files of the release."""

import hashlib

from .release import Release

NAME = "SHA256SUMS"


def build(release: Release) -> None:
    """Write the digests, in the format of `sha256sum --check`."""
    files = sorted(
        path for path in release.folder.rglob("*") if path.is_file() and path.name != NAME
    )
    lines = []
    for path in files:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f"{digest}  {path.relative_to(release.folder).as_posix()}\n")
    (release.folder / NAME).write_text("".join(lines))
