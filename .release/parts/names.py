"""Writes the names of settings.toml and the version into the sources of the packages.

Each old name is read from a file that has it, and replaced in all files. The generated Go code has
the module path in encoded descriptors, so it is generated again. The names in PyPI and npm are also
ordinary words, so they are written only into the manifests.
"""

import re
from pathlib import Path

from .release import TOP, FailedError, Release, run, tracked

SKIPPED = (".release/settings.toml", "Cargo.lock", "CHANGELOG.md", "bots/go/gen/")
IN_TEXTS = r"(?:\.release/(?:build|try) |release-|bridgemaster[-_](?:sdk-|cpp-)?)(\d+\.\d+\.\d+)"
"""A version in the name of a file, or in a command."""
VERSIONS = {
    "Cargo.toml": r'(?:^\[workspace\.package\]\n|path = "[\w/.]+", )version = "(.+?)"',
    "sdk/python/pyproject.toml": r'^version = "(.+?)"',
    "sdk/typescript/package.json": r'^  "version": "(.+?)"',
    "bots/java/pom.xml": r"<artifactId>bridgemaster-java</artifactId>\n  <version>(.+?)<",
    "bots/java/client/pom.xml": r"<artifactId>bridgemaster-java</artifactId>\n    <version>(.+?)<",
    "bots/java/sample-bot/pom.xml": r"-client</artifactId>\n      <version>(.+?)<",
    "bots/cpp/CMakeLists.txt": r"^project\(bridgemaster-bots VERSION (\S+)",
    "deploy/Containerfile": r"--tag bridgemaster:(\S+)",
    "README.md": IN_TEXTS,
    "docs/guides/install.md": IN_TEXTS,
    ".release/README.md": IN_TEXTS,
}
"""The files with the version of the packages: the group of each pattern matches it."""
NAMES = {
    "bots/go/go.mod": (r"^module (.+)$", "go"),
    "bots/java/pom.xml": (r"<groupId>(.+?)</groupId>", "maven_group"),
    "sdk/python/pyproject.toml": (r'^name = "(.+)"', "pypi"),
    "sdk/typescript/package.json": (r'^  "name": "(.+)"', "npm"),
}
"""The files with the names in registries."""
REPOSITORY = ("Cargo.toml", r'^repository = "(.+)"')


def build(release: Release) -> None:
    """Write the names and versions, or report where they differ."""
    if not release.only_check:
        replace_names(release)
        write_names(release)
        write_versions(release)
    differences = {**renames(release), **version_differences(release)}
    if f"\n## {release.version}" not in (TOP / "CHANGELOG.md").read_text():
        message = f"CHANGELOG.md has no section `## {release.version}`: rename `Unreleased`"
        differences["CHANGELOG.md"] = message
    if differences:
        raise FailedError("\n".join(differences.values()))


def current(file: str, pattern: str) -> str:
    """Return a value that a file has."""
    found = re.search(pattern, (TOP / file).read_text(), re.MULTILINE)
    if found is None:
        raise FailedError(f"{file}: nothing matches {pattern}")
    return found[1]


def renames(release: Release) -> dict[str, str]:
    """Return the problems of the names, by file."""
    wanted = {file: (pattern, release.registry(key)) for file, (pattern, key) in NAMES.items()}
    wanted[REPOSITORY[0]] = (REPOSITORY[1], release.settings["repository"])
    found = {file: (current(file, pattern), name) for file, (pattern, name) in wanted.items()}
    return {
        f"{file}: name": f"{file}: {old}, but .release/settings.toml has {new}"
        for file, (old, new) in found.items()
        if old != new
    }


def version_differences(release: Release) -> dict[str, str]:
    """Return the problems of the versions, by file."""
    found = {
        file: set(re.findall(pattern, (TOP / file).read_text(), re.MULTILINE))
        for file, pattern in VERSIONS.items()
    }
    return {
        file: f"{file}: version {' and '.join(sorted(versions))}, not {release.version}"
        for file, versions in found.items()
        if versions != {release.version}
    }


def replace_names(release: Release) -> None:
    """Replace the repository, the module path and the group in all files."""
    old, new = current(*REPOSITORY), str(release.settings["repository"])
    pairs = [
        (current("bots/go/go.mod", NAMES["bots/go/go.mod"][0]), release.registry("go")),
        (old, new),
        # The owner's page, and the name of the Action.
        (old.rpartition("/")[0], new.rpartition("/")[0]),
        ("/".join(old.split("/")[-2:]), "/".join(new.split("/")[-2:])),
        (
            current("bots/java/pom.xml", NAMES["bots/java/pom.xml"][0]),
            release.registry("maven_group"),
        ),
    ]
    pairs = [(old, new) for old, new in pairs if old != new]
    for name in tracked() if pairs else []:
        if not name.startswith(SKIPPED):
            replace_in(TOP / name, pairs)
    if any(new == release.registry("go") for _, new in pairs):
        run("go", "generate", "./...", cwd=TOP / "bots/go")


def replace_in(file: Path, pairs: list[tuple[str, str]]) -> None:
    """Replace texts in a file, unless it is binary."""
    try:
        old = text = file.read_text()
    except UnicodeDecodeError:
        return
    for before, after in pairs:
        text = text.replace(before, after)
    if text != old:
        file.write_text(text)


def write_names(release: Release) -> None:
    """Write the names in PyPI and npm into the manifests."""
    for file, (pattern, key) in NAMES.items():
        if key in ("pypi", "npm"):
            write(file, pattern, release.registry(key))


def write_versions(release: Release) -> None:
    """Write the version into the manifests and texts."""
    for file, pattern in VERSIONS.items():
        write(file, pattern, release.version)
    run("cargo", "update", "--workspace", "--offline")


def write(file: str, pattern: str, value: str) -> None:
    """Write a value in place of the group of each match."""
    text = (TOP / file).read_text()
    # It starts at the end, so that the earlier positions stay valid.
    for found in reversed(list(re.finditer(pattern, text, re.MULTILINE))):
        text = text[: found.start(1)] + value + text[found.end(1) :]
    (TOP / file).write_text(text)
