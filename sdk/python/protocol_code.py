"""Generates the Python code of the protocol from the .proto files of the repository.

The code goes into the package and not into the repository: whoever builds the package builds it
too, and the wheel and the sdist have it inside.
"""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"
"""Where the .proto files are in the repository; an sdist has none."""
PACKAGE = HERE / "src" / "bridgemaster"

REQUIREMENTS = ["grpcio-tools==1.85.1", "mypy-protobuf==5.1.0"]
"""The generators of the code and of its types."""

_RUNTIME_CHECK = re.compile(
    r"^from google\.protobuf import runtime_version as _runtime_version\n"
    r"|^_runtime_version\.ValidateProtobufRuntimeVersion\(\n(?:    .*\n)+\)\n",
    re.MULTILINE,
)
_GRPC_CHECK = re.compile(
    r"^import warnings\n|^GRPC_GENERATED_VERSION = [\s\S]*?\n    \)\n", re.MULTILINE
)


def is_possible() -> bool:
    """Return whether the .proto files are there."""
    return (PROTO / "bridgemaster").is_dir()


def generate() -> None:
    """Generate the code anew; nothing stays of what was generated before."""
    for folder in ("v1", "games"):
        shutil.rmtree(PACKAGE / folder, ignore_errors=True)
    all_protos = (path.relative_to(PROTO) for path in PROTO.glob("bridgemaster/**/*.proto"))
    # What a server keeps on disk is nothing for bots.
    protos = sorted(path for path in all_protos if "internal" not in path.parts)
    outputs = [
        f"--python_out={PACKAGE.parent}",
        f"--grpc_python_out={PACKAGE.parent}",
        f"--mypy_out=quiet:{PACKAGE.parent}",
        f"--mypy_grpc_out=quiet:{PACKAGE.parent}",
        *(f"--plugin=protoc-gen-{name}={_program(f'protoc-gen-{name}')}" for name in _PLUGINS),
    ]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}", *outputs]
    subprocess.run([*command, *map(str, protos)], check=True, cwd=PROTO)
    for file in sorted(PACKAGE.rglob("*_pb2.py")):
        _edit(file, _RUNTIME_CHECK, checks=2)
    for file in sorted(PACKAGE.rglob("*_pb2_grpc.py*")):
        if "Stub" not in file.read_text(encoding="utf-8"):
            # No service is declared there.
            file.unlink()
        elif file.suffix == ".py":
            _edit(file, _GRPC_CHECK, checks=2)


_PLUGINS = ("mypy", "mypy_grpc")


def _program(name: str) -> str:
    """Return where a program of this environment is."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        sys.exit(f"protocol_code.py: no {name}: install {' '.join(REQUIREMENTS)}")
    return found


def _edit(file: Path, check: re.Pattern[str], checks: int) -> None:
    """Take out that only the generator's own version of a library and newer ones will do.

    The rest of the code is the same for all of them, and so it is tested with the oldest and the
    newest that the package allows.
    """
    text, count = check.subn("", file.read_text(encoding="utf-8"))
    if count != checks:
        sys.exit(f"protocol_code.py: {file}: {count} of {checks} parts of the version check found")
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    generate()
