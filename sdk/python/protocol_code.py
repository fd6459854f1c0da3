"""Generates the Python code of the protocol from the .proto files of the repository.

The code is not in the repository. It is generated when the package is built; the wheel and the
sdist contain it.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"
"""Folder of the .proto files in the repository; an sdist does not have them."""
PACKAGE = HERE / "src" / "bridgemaster"

REQUIREMENTS = ["grpcio-tools==1.85.1", "mypy-protobuf==5.1.0"]
"""The generators of the code and of its type stubs."""

_RUNTIME_CHECK = re.compile(
    r"^from google\.protobuf import runtime_version as _runtime_version\n"
    r"|^_runtime_version\.ValidateProtobufRuntimeVersion\(\n(?:    .*\n)+\)\n",
    re.MULTILINE,
)
_GRPC_CHECK = re.compile(
    r"^import warnings\n|^GRPC_GENERATED_VERSION = [\s\S]*?\n    \)\n", re.MULTILINE
)


def can_generate() -> bool:
    """Return whether the .proto files are available."""
    return (PROTO / "bridgemaster").is_dir()


def generate() -> None:
    """Generate the code from the .proto files, and remove files of earlier versions.

    A file is replaced in one step, and only if its content differs, since bots that run from source
    may be importing the package.
    """
    # In the same file system as the package, so that a file can be moved there.
    with tempfile.TemporaryDirectory(prefix=".generated-", dir=HERE) as folder:
        generated = Path(folder)
        _generate_in(generated)
        names = {path.relative_to(generated) for path in generated.rglob("*.py*")}
        for name in sorted(names):
            new, old = generated / name, PACKAGE.parent / name
            if not old.is_file() or old.read_bytes() != new.read_bytes():
                old.parent.mkdir(parents=True, exist_ok=True)
                os.replace(new, old)
    for old in PACKAGE.rglob("*_pb2*.py*"):
        if old.parent.name != "__pycache__" and old.relative_to(PACKAGE.parent) not in names:
            old.unlink(missing_ok=True)


def _generate_in(folder: Path) -> None:
    """Generate the code in an empty folder."""
    all_protos = (path.relative_to(PROTO) for path in PROTO.glob("bridgemaster/**/*.proto"))
    # Bots do not use the storage format of the server.
    protos = sorted(path for path in all_protos if "internal" not in path.parts)
    outputs = [
        f"--python_out={folder}",
        f"--grpc_python_out={folder}",
        f"--mypy_out=quiet:{folder}",
        f"--mypy_grpc_out=quiet:{folder}",
        *(f"--plugin=protoc-gen-{name}={_program(f'protoc-gen-{name}')}" for name in _PLUGINS),
    ]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}", *outputs]
    subprocess.run([*command, *map(str, protos)], check=True, cwd=PROTO)
    for file in sorted(folder.rglob("*_pb2.py")):
        _edit(file, _RUNTIME_CHECK, checks=2)
    for file in sorted(folder.rglob("*_pb2_grpc.py*")):
        if "Stub" not in file.read_text(encoding="utf-8"):
            # The .proto file declares no service.
            file.unlink()
        elif file.suffix == ".py":
            _edit(file, _GRPC_CHECK, checks=2)


_PLUGINS = ("mypy", "mypy_grpc")


def _program(name: str) -> str:
    """Return the path of a program of this environment; exit if it is missing."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        sys.exit(f"protocol_code.py: {name} not found; install {' '.join(REQUIREMENTS)}")
    return found


def _edit(file: Path, check: re.Pattern[str], checks: int) -> None:
    """Remove the check that requires the generator's own version of a library or a newer one.

    The rest of the code is the same for all versions. The tests run with the oldest and the newest
    version that the package allows.
    """
    text, count = check.subn("", file.read_text(encoding="utf-8"))
    if count != checks:
        sys.exit(f"protocol_code.py: {file}: found {count} of {checks} parts of the version check")
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    generate()
