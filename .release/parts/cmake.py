"""The C++ library as a source archive, for FetchContent, or for `cmake --install`."""

import shutil

from .archives import tar_gz
from .release import FailedError, Release


def build(release: Release) -> None:
    """Pack the library with the .proto files beside it."""
    folder = release.source / "bots/cpp"
    if f"VERSION {release.version} " not in (folder / "CMakeLists.txt").read_text():
        raise FailedError(f"bots/cpp/CMakeLists.txt does not have the version {release.version}")
    packed = release.emptied("cmake") / "package"
    shutil.copytree(folder, packed, ignore=shutil.ignore_patterns("tests"))
    for name in ("bridgemaster/v1", "bridgemaster/games", "google"):
        shutil.copytree(release.source / "proto" / name, packed / "proto" / name)
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        shutil.copyfile(release.source / name, packed / name)
    top = f"bridgemaster-cpp-{release.version}"
    tar_gz(packed, release.folder / f"{top}.tar.gz", release.time_s, top=top)
