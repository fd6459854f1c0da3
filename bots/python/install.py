"""Make an environment in which the Python bots run.

It creates a virtual environment, installs the pinned requirements into it, generates the Python
code of the protocol from the .proto files, and makes `bridgemaster_bot` importable. Running it
again brings an existing environment up to date: do so when the .proto files have changed.
"""

import argparse
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"
OLDEST_PYTHON = (3, 10)


def create_environment(folder: Path) -> Path:
    """Create a virtual environment unless it exists, and return its interpreter."""
    bin_folder = "Scripts" if sys.platform == "win32" else "bin"
    python = folder / bin_folder / "python"
    if not (folder / "pyvenv.cfg").is_file():
        try:
            venv.create(folder, with_pip=True)
        except subprocess.CalledProcessError:
            # A half-made environment would be taken for a whole one the next time.
            shutil.rmtree(folder, ignore_errors=True)
            sys.exit(
                "install.py: python3 has no venv module that works; on Debian and Ubuntu: "
                "apt-get install python3-venv"
            )
    return python


def install_requirements(python: Path, files: list[Path]) -> None:
    """Install pinned packages from PyPI."""
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for file in files:
        command += ["--requirement", file]
    run(command)


def generate_protocol(python: Path, packages: Path) -> None:
    """Generate the package `bridgemaster` among the installed packages.

    There it is importable from everywhere, and no generated file gets into the repository.
    """
    shutil.rmtree(packages / "bridgemaster", ignore_errors=True)
    outputs = [f"--{kind}_out={packages}" for kind in ("python", "pyi", "grpc_python")]
    all_protos = (path.relative_to(PROTO) for path in PROTO.glob("bridgemaster/**/*.proto"))
    # What a server keeps on disk is nothing for bots.
    protos = sorted(path for path in all_protos if "internal" not in path.parts)
    run([python, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}", *outputs, *protos])


def packages_folder(python: Path) -> Path:
    """Where the environment keeps its packages."""
    command = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def run(command: list[object]) -> None:
    """Run a command, and end this program when it fails: the command has said why."""
    status = subprocess.run([str(part) for part in command], cwd=PROTO).returncode
    if status != 0:
        sys.exit(f"install.py: failed: {' '.join(str(part) for part in command)}")


def main() -> None:
    """Read the command line and make the environment."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--venv",
        type=Path,
        default=HERE / ".venv",
        metavar="FOLDER",
        help="the environment's folder (default: .venv beside this file)",
    )
    parser.add_argument(
        "--with-checks",
        action="store_true",
        help="also install what the repository's checks use, such as buf and ruff",
    )
    arguments = parser.parse_args()
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(
            f"install.py: Python {'.'.join(map(str, OLDEST_PYTHON))} or newer is needed; "
            f"this is {sys.version.split()[0]}"
        )

    requirements = [HERE / "requirements.txt"]
    if arguments.with_checks:
        requirements.append(HERE / "requirements-checks.txt")
    python = create_environment(arguments.venv.resolve())
    install_requirements(python, requirements)
    packages = packages_folder(python)
    generate_protocol(python, packages)
    # A .pth file adds a folder to the import path: the bots run from any working directory, and
    # a change of theirs needs no new installation.
    (packages / "bridgemaster_bot.pth").write_text(f"{HERE}\n", encoding="utf-8")
    print(f"ready: {python} -m bridgemaster_bot --help")


if __name__ == "__main__":
    main()
