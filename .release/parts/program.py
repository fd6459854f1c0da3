"""The programs as archives, with manual pages, completions, licences and a bill of materials."""

import os
import shutil
from pathlib import Path

from . import licences, sbom
from .archives import tar_gz
from .release import TOP, FailedError, Release, environment_of_tools, run

GLIBC = "2.28"
"""The oldest C library: that of Debian 10, RHEL 8 and Ubuntu 18.10."""
PROFILE_FOLDERS = {"dev": "debug"}


def build(release: Release) -> None:
    """Build a program for each processor, and pack it."""
    sbom.build(release)
    shared = shared_files(release)
    for machine in release.machines:
        top = f"bridgemaster-{release.version}-{machine}-linux"
        folder = tree(release, machine)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(shared, folder)
        (folder / "bin").mkdir()
        shutil.copy(release.program or compiled(release, machine), folder / "bin/bridgemaster")
        tar_gz(folder, release.folder / f"{top}.tar.gz", release.time_s, top=top)


def tree(release: Release, machine: str) -> Path:
    """Return the folder that is packed for a processor; `deb` and `image` pack it too."""
    return release.work / "program" / machine


def shared_files(release: Release) -> Path:
    """Return a folder with the files that are the same for all processors."""
    folder = release.emptied("shared")
    manuals(folder / "share")
    for name in ("LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md"):
        shutil.copyfile(TOP / name, folder / name)
    (folder / "THIRD-PARTY-LICENSES").write_text(licences.text())
    return folder


def manuals(folder: Path) -> None:
    """Write the manual pages and completions by running the unit test that checks them."""
    run(
        *("cargo", "test", "--quiet", "--locked", "--package=bridgemaster", "--bin=bridgemaster"),
        *("--", "manuals_tests::"),
        BRIDGEMASTER_MANUALS=str(folder),
    )
    page = folder / "man/man1/bridgemaster.1"
    if not page.is_file():
        raise FailedError(f"the tests `manuals_tests::` have not written {page}")


def compiled(release: Release, machine: str) -> Path:
    """Compile the program for a processor and an older C library, and return its path."""
    target = f"{machine}-unknown-linux-gnu"
    environment = environment_of_tools(release)
    home = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    # With paths of this machine, the program would differ from one that is built elsewhere.
    remapped = [(str(TOP), "/bridgemaster"), (home, "/cargo")]
    flags = " ".join(f"--remap-path-prefix={path}={name}" for path, name in remapped)
    c_flags = " ".join(f"-ffile-prefix-map={path}={name}" for path, name in remapped)
    run(
        *("cargo", "zigbuild", "--locked", f"--profile={release.profile}"),
        *("--package=bridgemaster", "--bin=bridgemaster", f"--target={target}.{GLIBC}"),
        PATH=f"{environment / 'bin'}:{os.environ['PATH']}",
        RUSTFLAGS=f"{os.environ.get('RUSTFLAGS', '')} {flags}".strip(),
        CFLAGS=c_flags,
        SOURCE_DATE_EPOCH=str(release.time_s),
    )
    folder = PROFILE_FOLDERS.get(release.profile, release.profile)
    built = Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target"))
    return built / target / folder / "bridgemaster"
