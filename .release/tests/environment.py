"""An empty environment: a folder with its own home folder, without the checkout."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from parts.release import TOP, FailedError, Release

KEPT = (
    "PATH",
    "LANG",
    "TERM",
    "JAVA_HOME",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "SSL_CERT_FILE",
    "PIP_CERT",
)
"""The variables that the environment inherits from this process."""
HIDE = 'mount -t tmpfs tmpfs "$0" && cd "$1" && shift && exec "$@"'
TIMEOUT_S = 1200


class Environment:
    """A temporary folder with the files of a release and the program."""

    def __init__(self, release: Release) -> None:
        """Create an environment for a release, which must have been built."""
        self.release = release
        self.folder = Path()
        self.files = Path()
        """The files of the release."""
        self.bot = Path()
        """An empty folder for a bot."""

    def __enter__(self) -> "Environment":
        """Create the folder."""
        if not self.release.folder.is_dir():
            raise FailedError(f"{self.release.folder} is missing: run .release/build first")
        self.folder = Path(tempfile.mkdtemp(prefix="bridgemaster-test-"))
        # Users of services and containers must be able to enter the folder.
        self.folder.chmod(0o755)
        self.files = self.folder / "release"
        shutil.copytree(self.release.folder, self.files)
        for name in ("home", "bot", "programs"):
            (self.folder / name).mkdir()
        self.bot = self.folder / "bot"
        # cargo and rustup find their toolchains in the home of this process.
        self.variables = {
            "CARGO_HOME": str(Path.home() / ".cargo"),
            "RUSTUP_HOME": str(Path.home() / ".rustup"),
            **{name: os.environ[name] for name in KEPT if name in os.environ},
            "HOME": str(self.folder / "home"),
        }
        self.variables["PATH"] = f"{self.folder / 'programs'}:{self.variables['PATH']}"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the folder; after an error, keep it for inspection."""
        if error is None:
            shutil.rmtree(self.folder)
        else:
            print(f"the environment is kept in {self.folder}")

    def file(self, name: str) -> Path:
        """Return a file of the release by its name, in which VERSION is replaced."""
        path = self.files / name.replace("VERSION", self.release.version)
        if not path.exists():
            raise FailedError(f"{path.name} is missing in {self.release.folder}: build it first")
        return path

    def install_program(self, machine: str = "x86_64") -> Path:
        """Put the program on the search path, and return its path."""
        program = self.folder / "programs/bridgemaster"
        if self.release.program:
            shutil.copy(self.release.program, program)
            return program
        name = f"bridgemaster-{self.release.version}-{machine}-linux"
        with tarfile.open(self.file(f"{name}.tar.gz")) as archive:
            archive.extractall(self.folder, filter="data")
        program.symlink_to(self.folder / name / "bin/bridgemaster")
        return program

    def run(self, command: str, folder: Path | None = None, **variables: str) -> str:
        """Run a shell command in the bot's folder, and return what it prints."""
        words = hidden(["sh", "-c", command], folder or self.bot)
        ended = subprocess.run(
            words,
            cwd=folder or self.bot,
            env=self.environment(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
        )
        if ended.returncode != 0:
            raise FailedError(f"failed with {ended.returncode}: {command}\n{ended.stdout[-4000:]}")
        return ended.stdout

    def start(self, command: list[str], **variables: str) -> subprocess.Popen[str]:
        """Start a command, and let the caller read its output."""
        return subprocess.Popen(
            hidden(command, self.bot),
            cwd=self.bot,
            env=self.environment(variables),
            stdout=subprocess.PIPE,
            text=True,
        )

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of a command."""
        return {**self.variables, **variables}

    def play(self, bot: str, folder: Path | None = None) -> None:
        """Play a match with a bot, and check the bot."""
        quoted = bot.replace('"', '\\"')
        printed = self.run(f'bridgemaster demo --bots greedy,"{quoted}"', folder)
        if "replay" not in printed:
            raise FailedError(f"the match of {bot} printed no replay:\n{printed}")
        self.run(f"bridgemaster check-bot -- {bot}", folder)


def hidden(command: list[str], folder: Path) -> list[str]:
    """Return a command from which the checkout is hidden, if this process may hide it."""
    if os.geteuid() != 0:
        return command
    return ["unshare", "--mount", "sh", "-c", HIDE, str(TOP), str(folder), *command]
