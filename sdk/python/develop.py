"""Make an environment in which the Python package and bots of this repository run from source.

It creates a virtual environment, installs the pinned requirements into it, and the package so that
it is read from here: a change of it needs no new installation. A change of the .proto files needs
one: run this again. Beside that it puts, into the folder `wheels` of the environment, the wheel of
the package and all that is needed to build and to install it without a network.
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
"""The build backend, as pyproject.toml has it."""
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
"""Versions of Python that the package is tested with, where they are found."""
BUILD_SDIST = "import build_backend, sys; print(build_backend.build_sdist(sys.argv[1]))"
OTHER_PROTOBUF = {"5.29.1": "1.75.0", "6.33.6": "1.76.0"}
"""The oldest protobuf that the package allows and one of the major version between, each with the
googleapis-common-protos that goes with it."""


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
                "develop.py: python3 has no venv module that works; on Debian and Ubuntu: "
                "apt-get install python3-venv"
            )
    return python


def pip(python: Path, *arguments: object) -> None:
    """Run pip."""
    run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def run(python: Path, *arguments: object) -> str:
    """Run Python and return what it prints; end this program when it fails: it has said why."""
    command = [str(part) for part in (python, *arguments)]
    ended = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"develop.py: failed: {' '.join(command)}\n{ended.stdout}")
    return ended.stdout.strip()


def other_pythons() -> dict[str, Path]:
    """Return other interpreters by their versions, of those that the package is for.

    They are looked for on the search path, and beside the one that runs, where managers of versions
    put them.
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
    """Make an environment of another interpreter in which the package runs from source."""
    run(other, "-m", "venv", "--clear", "--without-pip", folder)
    install = ["--python", folder, "install", "--no-compile", "--requirement"]
    pip(python, *install, HERE / "requirements.txt")
    for packages in folder.glob("lib/python*/site-packages"):
        (packages / "bridgemaster.pth").write_text(f"{HERE / 'src'}\n", encoding="utf-8")


def main() -> None:
    """Read the command line and make the environment."""
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
        help="also install what the repository's checks use, such as buf and ruff, and other "
        "versions of protobuf and Python to test with",
    )
    arguments = parser.parse_args()
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(
            f"develop.py: Python {'.'.join(map(str, OLDEST_PYTHON))} or newer is needed; "
            f"this is {sys.version.split()[0]}"
        )

    folder = arguments.venv.resolve()
    python = create_environment(folder)
    wheels = folder / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    needed = ["--requirement", HERE / "requirements.txt", BACKEND, *protocol_code.REQUIREMENTS]
    pip(python, "wheel", "--wheel-dir", wheels, *needed)
    # From here on without an index: what needs one was left out above.
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
