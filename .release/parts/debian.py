"""The Debian package: the program, a user, a systemd service, its config and log rotation."""

import re
from email.utils import formatdate
from pathlib import Path

from .archives import gz
from .program import tree
from .release import TOP, FailedError, Release, run

FILES = TOP / ".release/debian"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
SCRIPTS = ("postinst", "prerm", "postrm")


def build(release: Release) -> None:
    """Build the package for each processor from the folder of its archive."""
    for machine in release.machines:
        packed = tree(release, machine)
        if not (packed / "bin/bridgemaster").is_file():
            raise FailedError(f"{packed} has no program: build the part `program` first")
        build_for(release, packed, ARCHITECTURES[machine])


def build_for(release: Release, packed: Path, architecture: str) -> None:
    """Build the package of an architecture."""
    root = release.emptied("debian") / "root"
    place(root / "usr/bin/bridgemaster", (packed / "bin/bridgemaster").read_bytes(), 0o755)
    values = {
        "VERSION": release.version,
        "ARCHITECTURE": architecture,
        "MAINTAINER": release.settings["maintainer"],
        "REPOSITORY": release.settings["repository"],
        **licence(packed),
    }
    place(
        root / "usr/lib/systemd/system/bridgemaster.service", filled("bridgemaster.service", values)
    )
    place(root / "etc/bridgemaster/server.toml", filled("server.toml", values))
    place(root / "etc/logrotate.d/bridgemaster", filled("logrotate", values))
    place(root / "usr/share/lintian/overrides/bridgemaster", filled("lintian-overrides", values))
    document(release, packed, root / "usr/share", values)
    control = root / "DEBIAN"
    size = sum(-(-path.stat().st_size // 1024) for path in root.rglob("*") if path.is_file())
    place(control / "control", filled("control", {**values, "SIZE_KIB": str(size)}))
    place(control / "conffiles", b"/etc/bridgemaster/server.toml\n/etc/logrotate.d/bridgemaster\n")
    for name in SCRIPTS:
        place(control / name, filled(name, values), 0o755)
    for path in (root, *root.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    file = release.folder / f"bridgemaster_{release.version}-1_{architecture}.deb"
    run(
        *("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, file),
        SOURCE_DATE_EPOCH=str(release.time_s),
    )


def document(release: Release, packed: Path, share: Path, values: dict[str, str]) -> None:
    """Place manual pages, completions, licences and the changelog."""
    for path in sorted((packed / "share").rglob("*")):
        if path.is_file():
            name = path.relative_to(packed / "share")
            if name.parts[0] == "man":
                place(share / f"{name}.gz", gz(path.read_bytes()))
            elif name.parts[0] == "zsh":
                place(share / "zsh/vendor-completions" / name.name, path.read_bytes())
            else:
                place(share / name, path.read_bytes())
    folder = share / "doc/bridgemaster"
    place(folder / "copyright", filled("copyright", values))
    for name in ("THIRD-PARTY-LICENSES", "CHANGELOG.md"):
        renamed = "changelog" if name == "CHANGELOG.md" else name
        place(folder / f"{renamed}.gz", gz((packed / name).read_bytes()))
    entry = (
        f"bridgemaster ({release.version}-1) unstable; urgency=medium\n\n"
        f"  * Release {release.version}; changelog.gz has the changes.\n\n"
        f" -- {values['MAINTAINER']}  {formatdate(release.time_s)}\n"
    )
    place(folder / "changelog.Debian.gz", gz(entry.encode()))


def licence(packed: Path) -> dict[str, str]:
    """Return the owner and the text of the MIT licence, in the form of debian/copyright."""
    text = (packed / "LICENSE-MIT").read_text()
    owner = re.search(r"^Copyright (?:\(c\) )?(.+)$", text, re.MULTILINE)
    if owner is None:
        raise FailedError("LICENSE-MIT names no owner of the copyright")
    body = text[owner.end() :].strip()
    lines = [f" {line}" if line else " ." for line in body.splitlines()]
    return {"COPYRIGHT": owner[1], "MIT": "\n".join(lines)}


def filled(name: str, values: dict[str, str]) -> bytes:
    """Return a file of .release/debian with its placeholders replaced."""
    text = (FILES / name).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text.encode()


def place(file: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a file of the package."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    file.chmod(mode)
