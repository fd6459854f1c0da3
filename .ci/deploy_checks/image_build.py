"""The image of deploy/Containerfile, built and started with Debian's packages, as root.

The base is a minimal Debian instead of the base in the Containerfile, which is on the internet. The
stage that compiles the program is replaced by the given program.
"""

import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from language_tests.ports import free_port
from language_tests.processes import wait_until

from .image import CONTAINERFILE
from .matches import Caller
from .sources import find, must, run

PACKAGES = "base-files,libc6,libgcc-s1,ca-certificates"
"""The Debian packages of the base."""
BUNDLE = 'cat "$1"/usr/share/ca-certificates/mozilla/*.crt >"$1"/etc/ssl/certs/ca-certificates.crt'
"""The command that creates the file of all certificates, as installing the package would."""
USER = 65_532
"""The user of the program in the image."""
NAME = "bridgemaster-check"


def check(program: Path) -> None:
    """Build the image, start a server, play a match and stop the server."""
    for tool in ("mmdebstrap", "buildah", "podman", "runc", "strip"):
        must(find(tool), "missing: apt-get install mmdebstrap buildah podman runc binutils")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        storage = [f"--root={folder}/images", f"--runroot={folder}/run"]
        build(folder, storage, program)
        podman = ["podman", *storage, "--cgroup-manager=cgroupfs", "--runtime=runc"]
        size = int(run(*podman, "image", "inspect", "--format={{.Size}}", "bridgemaster"))
        base = int(run(*podman, "image", "inspect", "--format={{.Size}}", "base"))
        print(f"image: {size / 1e6:.1f} MB, of which the base is {base / 1e6:.1f} MB")
        try:
            start(podman, program)
        finally:
            subprocess.run([*podman, "rm", "--force", "--all"], capture_output=True)


def build(folder: Path, storage: list[str], program: Path) -> None:
    """Build the base and the image."""
    context = folder / "context"
    context.mkdir()
    run("strip", "--strip-debug", "-o", context / "bridgemaster", program)
    packages = ["--variant=extract", f"--include={PACKAGES}", f"--customize-hook={BUNDLE}"]
    run("mmdebstrap", *packages, debian(), context / "base.tar")
    (folder / "Base").write_text("FROM scratch\nADD base.tar /\n")
    command = ["buildah", *storage, "bud", "--isolation=chroot", "--format=docker"]
    run(*command, "--tag=base", f"--file={folder}/Base", context)
    # The context `build` replaces the stage of this name.
    replaced = [f"--build-context=build={context}", "--build-arg=RUNTIME=localhost/base"]
    run(*command, *replaced, "--tag=bridgemaster", f"--file={CONTAINERFILE}", context)


def debian() -> str:
    """Return the name of this machine's Debian, whose C library the program needs."""
    lines = Path("/etc/os-release").read_text().splitlines()
    [name] = [line.partition("=")[2] for line in lines if line.startswith("VERSION_CODENAME=")]
    return name


def start(podman: list[str], program: Path) -> None:
    """Start a server in a container as restricted as in compose.yaml, and play a match."""
    url = f"http://127.0.0.1:{free_port()}"
    restricted = ["--read-only", "--cap-drop=all", "--security-opt=no-new-privileges"]
    # podman raises limits by default, which a machine may refuse.
    restricted += ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1000:1000"]
    # Without systemd, nothing runs the health check regularly.
    restricted += ["--health-interval=disable"]
    restricted += ["--network=host", f"--env=BRIDGEMASTER_SERVER={url}", f"--name={NAME}"]
    served = ["serve", f"--listen={url.removeprefix('http://')}", "--no-page"]
    caller = Caller(program, url)
    started_at = time.monotonic()
    run(*podman, "run", "--detach", *restricted, "bridgemaster", *served)
    wait_until(lambda: is_serving(caller))
    print(f"start: {time.monotonic() - started_at:.2f} s until the server is healthy")
    run(*podman, "healthcheck", "run", NAME)
    pid = run(*podman, "inspect", "--format={{.State.Pid}}", NAME).strip()
    status = Path(f"/proc/{pid}/status").read_text()
    must(f"\nUid:\t{USER}\t" in status, f"the server runs as another user:\n{status}")
    with ExitStack() as stack:
        match, tickets = caller.create_match()
        for ticket in tickets:
            caller.start_bot(stack, "random", ticket)
        must(caller.faults(match) == 0, "a seat has a fault")
    run(*podman, "stop", "--time=60", NAME)
    code = run(*podman, "inspect", "--format={{.State.ExitCode}}", NAME).strip()
    must(code == "0", f"the server exited with {code}")


def is_serving(caller: Caller) -> bool:
    """Return whether the server is healthy."""
    command = [caller.program, "cluster", "health"]
    return subprocess.run(command, env=caller.variables(), capture_output=True).returncode == 0
