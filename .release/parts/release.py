"""A release: its version, names, folders and time."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import tomllib

TOP = Path(__file__).resolve().parents[2]


class FailedError(Exception):
    """A part cannot be built; the message has the reason and the remedy."""


@dataclass
class Release:
    """A version that is built from this checkout."""

    version: str
    profile: str = "dist"
    """The cargo profile of the programs."""
    machines: tuple[str, ...] = ("x86_64", "aarch64")
    """The processors to build programs for."""
    program: Path | None = None
    """An existing program to pack instead of building one."""
    only_check: bool = False
    """Whether `names` reports differences instead of writing them."""
    settings: dict[str, Any] = field(
        default_factory=lambda: tomllib.loads((TOP / ".release/settings.toml").read_text())
    )

    @property
    def folder(self) -> Path:
        """Return the folder of the files to publish."""
        return TOP / "target" / f"release-{self.version}"

    @property
    def work(self) -> Path:
        """Return the folder of intermediate files."""
        return TOP / "target" / "release-work"

    @cached_property
    def time_s(self) -> int:
        """Return the time of the commit, which is the time of all packed files."""
        return int(run("git", "log", "-1", "--format=%ct"))

    @cached_property
    def source(self) -> Path:
        """Return a copy of the tracked files, in which packages are built."""
        copy = self.work / "source"
        shutil.rmtree(copy, ignore_errors=True)
        for name in tracked():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, copy / name, follow_symlinks=False)
        return copy

    def registry(self, name: str) -> str:
        """Return the name of a package in a registry."""
        return str(self.settings["registries"][name])

    def download(self, file: str) -> str:
        """Return the address of a file of the release."""
        return str(self.settings["download"]).format(version=self.version, file=file)

    def emptied(self, name: str) -> Path:
        """Return an empty folder for intermediate files."""
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def publish(self, file: Path, name: str | None = None) -> Path:
        """Copy a finished file to the folder of the release."""
        self.folder.mkdir(parents=True, exist_ok=True)
        copy = self.folder / (name or file.name)
        shutil.copyfile(file, copy)
        return copy


def tracked() -> list[str]:
    """Return the names of the tracked files that exist."""
    names = run("git", "ls-files", "-z").split("\0")
    return [name for name in names if name and (TOP / name).is_file()]


def run(*command: object, cwd: Path = TOP, **variables: str) -> str:
    """Run a command, and return its output; its errors are shown immediately."""
    words = [str(word) for word in command]
    environment = {**os.environ, **variables}
    try:
        ended = subprocess.run(
            words, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
    except FileNotFoundError:
        raise FailedError(
            f"{words[0]} is not installed; .release/README.md lists the tools"
        ) from None
    if ended.returncode != 0:
        raise FailedError(
            f"failed with {ended.returncode}: {' '.join(words)}\n{ended.stdout[-4000:]}"
        )
    return ended.stdout


def environment_of_tools(release: Release) -> Path:
    """Return a virtual environment with the tools of requirements.txt."""
    folder, pins = release.work / "tools", TOP / ".release/requirements.txt"
    marker = folder / "requirements.txt"
    if not marker.is_file() or marker.read_text() != pins.read_text():
        shutil.rmtree(folder, ignore_errors=True)
        run("python3", "-m", "venv", folder)
        run(folder / "bin/pip", "install", "--quiet", "--requirement", pins)
        shutil.copyfile(pins, marker)
    return folder
