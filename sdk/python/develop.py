"""Create an environment in which the Python package and bots of this repository run from source.

The script creates a virtual environment and installs the pinned requirements. It installs the
package in editable mode, so changes of the source take effect at once; run the script again after a
change of the .proto files. The folder `wheels` of the environment receives the wheel of the package
and everything needed to build and install it offline.
"""

import argparse
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import protocol_code

HERE = Path(__file__).resolve().parent
OLDEST_PYTHON = (3, 10)
BACKEND = "flit_core==4.2.0"
"""The build backend, as in pyproject.toml."""
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
"""Versions of Python to test the package with, if they are installed."""
BUILD_SDIST = "import build_backend, sys; print(build_backend.build_sdist(sys.argv[1]))"
OTHER_PROTOBUF = {"5.29.1": "1.75.0", "6.33.6": "1.76.0"}
"""The oldest protobuf that the package allows, and one of the major version in between, each with a
compatible googleapis-common-protos."""


def create_environment(folder: Path) -> Path:
    """Create a virtual environment unless it exists, and return its interpreter."""
    bin_folder = "Scripts" if sys.platform == "win32" else "bin"
    python = folder / bin_folder / "python"
    if not (folder / "pyvenv.cfg").is_file():
        try:
            venv.create(folder, with_pip=True)
        except subprocess.CalledProcessError:
            # The next run would use an incomplete environment.
            shutil.rmtree(folder, ignore_errors=True)
            sys.exit(
                "develop.py: the venv module of python3 does not work; on Debian and Ubuntu: "
                "apt-get install python3-venv"
            )
    return python


def pip(python: Path, *arguments: object) -> None:
    """Run pip with the interpreter of an environment."""
    run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def run(python: Path, *arguments: object) -> str:
    """Run Python and return its output; exit if it fails."""
    command = [str(part) for part in (python, *arguments)]
    ended = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"develop.py: failed: {' '.join(command)}\n{ended.stdout}")
    return ended.stdout.strip()


def other_pythons() -> dict[str, Path]:
    """Return the other installed interpreters that the package supports, by version.

    They are searched for on the search path, and next to the running one, where version managers
    install them.
    """
    found = {}
    for version in PYTHONS:
        name = f"python{version}"
        on_path = shutil.which(name)
        candidates = [Path(on_path)] if on_path else []
        candidates += sorted(Path(sys.base_prefix).parent.glob(f"*/bin/{name}"))
        if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
            continue
        for candidate in candidates:
            works = subprocess.run([candidate, "-c", "import venv"], capture_output=True)
            if works.returncode == 0:
                found[version] = candidate
                break
    return found


def prepare_other_python(python: Path, other: Path, folder: Path) -> None:
    """Create an environment of another interpreter in which the package runs from source."""
    run(other, "-m", "venv", "--clear", "--without-pip", folder)
    install = ["--python", folder, "install", "--no-compile", "--requirement"]
    pip(python, *install, HERE / "requirements.txt")
    for packages in folder.glob("lib/python*/site-packages"):
        (packages / "bridgemaster.pth").write_text(f"{HERE / 'src'}\n", encoding="utf-8")


def main() -> None:
    """Parse the command line and create the environment."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
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
        help="also install the tools of the repository's checks, such as buf and ruff, and other "
        "versions of protobuf and Python to test with",
    )
    arguments = parser.parse_args()
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(
            f"develop.py: Python {'.'.join(map(str, OLDEST_PYTHON))} or newer is required; "
            f"this is {sys.version.split()[0]}"
        )

    folder = arguments.venv.resolve()
    python = create_environment(folder)
    wheels = folder / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    needed = ["--requirement", HERE / "requirements.txt", BACKEND, *protocol_code.REQUIREMENTS]
    pip(python, "wheel", "--wheel-dir", wheels, *needed)
    # From here on offline, to check that the wheels are complete.
    offline = ["--no-index", "--find-links", wheels]
    pip(python, "install", *offline, *needed)
    sdist = wheels / run(python, "-c", BUILD_SDIST, wheels)
    pip(python, "wheel", *offline, "--wheel-dir", wheels, "--no-deps", sdist)
    pip(python, "install", *offline, "--no-build-isolation", "--no-deps", "--editable", HERE)
    if arguments.with_checks:
        pip(python, "install", "--requirement", HERE / "requirements-checks.txt")
        for version, protos in OTHER_PROTOBUF.items():
            target = ["--upgrade", "--no-deps", "--target", folder / "protobuf" / version]
            packages = [f"protobuf=={version}", f"googleapis-common-protos=={protos}"]
            pip(python, "install", *target, *packages)
        for version, other in other_pythons().items():
            prepare_other_python(python, other, folder / "pythons" / version)
    print(f"ready: {python} bots/python/random_bot.py --help")


if __name__ == "__main__":
    main()
