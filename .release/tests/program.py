"""The archives of the program."""

import re
import shutil
import subprocess
from pathlib import Path

from parts.program import GLIBC
from parts.release import FailedError

from .environment import Environment

CROSS_LIBRARIES = Path("/usr/aarch64-linux-gnu")


def run(environment: Environment) -> None:
    """Check the digests; play with the program for this machine, and with that for arm64."""
    if (environment.files / "SHA256SUMS").is_file():
        environment.run("sha256sum --check --quiet SHA256SUMS", environment.files)
    program = environment.install_program()
    print(environment.run("bridgemaster --version").strip())
    environment.run("bridgemaster demo")
    if environment.release.program:
        return
    share = program.resolve().parents[1] / "share"
    for page in sorted((share / "man/man1").glob("*.1")):
        environment.run(f"man --warnings --local-file {page} >/dev/null")
    environment.run(f"bash -n {share}/bash-completion/completions/bridgemaster")
    check_c_library(program.resolve())
    arm64(environment)


def check_c_library(program: Path) -> None:
    """Check that the program needs no newer C library than promised."""
    # Unlike `objdump`, this reads programs of every architecture.
    command = ["readelf", "--wide", "--version-info", program]
    symbols = subprocess.run(command, capture_output=True, text=True).stdout
    versions = {
        tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_(\d+(?:\.\d+)*)", symbols)
    }
    if not versions:
        raise FailedError(f"{program} names no version of the C library")
    newest = max(versions)
    print(f"{program.parents[1].name}: glibc {'.'.join(map(str, newest))} or newer")
    if newest > tuple(map(int, GLIBC.split("."))):
        raise FailedError(f"{program} needs a newer C library than {GLIBC}")


def arm64(environment: Environment) -> None:
    """Start a server for arm64 under emulation, and play with a bot for arm64."""
    emulator = shutil.which("qemu-aarch64-static")
    archive = f"bridgemaster-{environment.release.version}-aarch64-linux"
    if not (environment.files / f"{archive}.tar.gz").is_file():
        print("arm64: not built, so not tested")
        return
    environment.run(f"tar -xzf {environment.files / archive}.tar.gz", environment.folder)
    program = environment.folder / archive / "bin/bridgemaster"
    check_c_library(program)
    if emulator is None or not CROSS_LIBRARIES.is_dir():
        raise FailedError(
            "arm64: apt-get install qemu-user-static libc6-arm64-cross libgcc-s1-arm64-cross"
        )
    emulated = f"{emulator} -L {CROSS_LIBRARIES} {program}"
    printed = environment.run(f"{emulated} --version")
    server = environment.start([*emulated.split(), "serve", "--listen", "127.0.0.1:0", "--no-page"])
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        if found is None:
            raise FailedError("arm64: the server printed no address")
        play(environment, emulated, found[0])
    finally:
        server.terminate()
        server.wait()
    print(f"arm64: {printed.strip()} serves and plays under emulation")


def play(environment: Environment, emulated: str, url: str) -> None:
    """Play a match between a bot for arm64 and one for this machine."""
    made = environment.run(
        f"bridgemaster match create --server {url} --game bridges_to_nowhere --seats 2 "
        "--time-control 600+5 --json"
    )
    tickets = re.findall(r'"ticket": ?"([^"]+)"', made)
    bots = [
        environment.start(
            [*command.split(), "bot", "random"], BRIDGEMASTER_SERVER=url, BRIDGEMASTER_TICKET=ticket
        )
        for command, ticket in zip((emulated, "bridgemaster"), tickets, strict=True)
    ]
    for bot in bots:
        if bot.wait(300) != 0:
            raise FailedError(f"arm64: a bot exited with {bot.returncode}")
