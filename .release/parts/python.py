"""The Python package: an sdist, and the wheel that pip builds from it."""

import re
from pathlib import Path

from .release import FailedError, Release, run


def build(release: Release) -> None:
    """Build both, with the generators of the protocol code in an environment of their own."""
    folder = release.source / "sdk/python"
    page = folder / "README.md"
    page.write_text(with_whole_links(page.read_text(), release, "sdk/python"))
    environment = release.work / "python"
    run("python3", "-m", "venv", "--clear", environment)
    python = environment / "bin/python"
    pins = (folder / "protocol_code.py").read_text()
    tools = [*re.findall(r'"([\w-]+==[\d.]+)"', pins), "flit_core==4.2.0"]
    run(python, "-m", "pip", "install", "--quiet", *tools)
    fixed = {"SOURCE_DATE_EPOCH": str(release.time_s)}
    built = release.emptied("dist")
    code = "import build_backend, sys; print(build_backend.build_sdist(sys.argv[1]))"
    run(python, "-c", code, built, cwd=folder, **fixed)
    [sdist] = built.glob("*.tar.gz")
    # pip builds from the sdist, as for a user without a wheel; the sdist needs no generators.
    offline = ["--no-deps", "--no-build-isolation", "--wheel-dir", built]
    run(python, "-m", "pip", "wheel", "--quiet", *offline, sdist, **fixed)
    for file in sorted(built.iterdir()):
        if f"{release.registry('pypi')}-{release.version}" not in file.name:
            raise FailedError(
                f"{file.name}: the name or version in sdk/python/pyproject.toml differs"
            )
        release.publish(file)


def with_whole_links(text: str, release: Release, folder: str) -> str:
    """Replace the links to files of the repository, which a registry's page does not have."""
    base = f"{release.settings['repository']}/blob/v{release.version}"

    def whole(found: re.Match[str]) -> str:
        path, _, anchor = found[1].partition("#")
        parts: list[str] = []
        for part in Path(folder, path).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        return f"]({base}/{'/'.join(parts)}{'#' + anchor if anchor else ''})"

    return re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", whole, text)
