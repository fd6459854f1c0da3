"""The Debian package in a fresh root: installed, upgraded, removed and purged.

Systemd does not run in the root, and no machine is booted. The unit is verified, and its command is
started as its user, with a socket in place of systemd.
"""

import os
import re
import select
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from parts.release import FailedError
from parts.release import run as run_here

from .environment import Environment

SUITE = "bookworm"
PACKAGES = "adduser,logrotate,procps,systemd"
NOTIFICATIONS = ("READY=1", "WATCHDOG=1", "STOPPING=1")
WATCHDOG_US = 2_000_000
TIMEOUT_S = 30


def run(environment: Environment) -> None:
    """Test the package for this machine's architecture."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        raise FailedError("needs root, and mmdebstrap: apt-get install mmdebstrap")
    package = environment.file("bridgemaster_VERSION-1_amd64.deb")
    if shutil.which("lintian"):
        tags = "debian-changelog-file-missing,initial-upload-closes-no-bugs"
        print(environment.run(f"lintian --fail-on error --suppress-tags {tags} {package}"))
    root = environment.folder / "root"
    run_here("mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}", SUITE, root)
    shutil.copy(package, root / "bridgemaster.deb")
    install(root)
    serve(root)
    rotate(root)
    upgrade(root, package, environment)
    remove(root)


def inside(root: Path, command: str) -> str:
    """Run a shell command in the root."""
    return run_here("chroot", root, "sh", "-c", command)


def must(condition: object, message: str) -> None:
    """Fail unless a condition is met."""
    if not condition:
        raise FailedError(message)


def install(root: Path) -> None:
    """Install the package, and check what it has created."""
    inside(root, "DEBIAN_FRONTEND=noninteractive dpkg --install /bridgemaster.deb")
    user = inside(root, "getent passwd bridgemaster").strip()
    must(user.endswith("/nologin") and ":/var/lib/bridgemaster:" in user, f"user: {user}")
    unit = "/usr/lib/systemd/system/bridgemaster.service"
    inside(root, f"systemd-analyze verify --man=no {unit}")
    score = inside(root, f"systemd-analyze security --offline=true --no-pager {unit} || true")
    print(score.strip().splitlines()[-1])
    print(inside(root, "bridgemaster --version").strip())


def exec_start(root: Path) -> str:
    """Return the command of the unit."""
    unit = (root / "usr/lib/systemd/system/bridgemaster.service").read_text()
    found = re.search(r"^ExecStart=(.+)$", unit, re.MULTILINE)
    must(found, "the unit has no ExecStart")
    return found[1] if found else ""


def serve(root: Path) -> None:
    """Start the command of the unit as its user, play a match, and receive its notifications."""
    # systemd would create these because of StateDirectory and LogsDirectory.
    for name, mode in (("lib", "0700"), ("log", "0750")):
        inside(
            root, f"install -d -o bridgemaster -g bridgemaster -m {mode} /var/{name}/bridgemaster"
        )
    notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notified.bind(str(root / "run/notify"))
    inside(root, "chmod 666 /run/notify")
    command = [
        "chroot",
        "--userspec=bridgemaster:bridgemaster",
        str(root),
        *exec_start(root).split(),
    ]
    variables = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "NOTIFY_SOCKET": "/run/notify",
        "WATCHDOG_USEC": str(WATCHDOG_US),
    }
    server = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL)
    try:
        received = receive(notified, NOTIFICATIONS[:2])
        made = inside(root, "bridgemaster match create --game bridges_to_nowhere --seats 2 --json")
        first, second = re.findall(r'"ticket": ?"([^"]+)"', made)
        bot = "bridgemaster bot random"
        inside(
            root, f"BRIDGEMASTER_TICKET={first} {bot} & BRIDGEMASTER_TICKET={second} {bot} && wait"
        )
        server.send_signal(signal.SIGTERM)
        received += receive(notified, NOTIFICATIONS[2:])
        must(server.wait(TIMEOUT_S) == 0, f"the server exited with {server.returncode}")
    finally:
        server.kill()
        server.wait()
        notified.close()
        (root / "run/notify").unlink()
    must(any((root / "var/lib/bridgemaster/data").iterdir()), "the server did not store anything")
    print(f"ExecStart as bridgemaster: {' '.join(received)}")


def receive(notified: socket.socket, wanted: tuple[str, ...]) -> list[str]:
    """Wait for notifications, and return all that have arrived."""
    received: list[str] = []
    deadline = time.monotonic() + TIMEOUT_S
    while not set(wanted) <= set(received):
        ready, _, _ = select.select([notified], [], [], deadline - time.monotonic())
        must(ready, f"received only {received}, not {wanted}")
        received += notified.recv(4096).decode().splitlines()
    return sorted(set(received))


def rotate(root: Path) -> None:
    """Rotate a log file of the kind that the config's drop-in creates."""
    inside(
        root,
        "echo line >/var/log/bridgemaster/server.log "
        "&& chown bridgemaster:bridgemaster /var/log/bridgemaster/server.log "
        "&& logrotate --force /etc/logrotate.d/bridgemaster",
    )
    rotated = root / "var/log/bridgemaster/server.log.1"
    must(rotated.is_file() and rotated.read_text() == "line\n", "logrotate did not rotate the log")


def upgrade(root: Path, package: Path, environment: Environment) -> None:
    """Install a newer version, which keeps a changed config and the data."""
    unpacked = environment.folder / "newer"
    run_here("dpkg-deb", "--raw-extract", package, unpacked)
    control = unpacked / "DEBIAN/control"
    control.write_text(re.sub(r"^(Version: .*)-1$", r"\1-2", control.read_text(), flags=re.M))
    run_here(
        "dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", unpacked, root / "newer.deb"
    )
    inside(root, "echo '# changed here' >>/etc/bridgemaster/server.toml")
    inside(root, "DEBIAN_FRONTEND=noninteractive dpkg --install /newer.deb")
    must(inside(root, "dpkg-query -W -f '${Version}' bridgemaster").endswith("-2"), "not upgraded")
    must("# changed here" in inside(root, "cat /etc/bridgemaster/server.toml"), "config replaced")
    must((root / "var/lib/bridgemaster/data").is_dir(), "the upgrade removed the data")
    print("upgraded: config and data are kept")


def remove(root: Path) -> None:
    """Remove the package, which keeps config and data; then purge it, which deletes both."""
    inside(root, "dpkg --remove bridgemaster")
    must((root / "etc/bridgemaster/server.toml").is_file(), "the removal deleted the config")
    must((root / "var/lib/bridgemaster/data").is_dir(), "the removal deleted the data")
    must(not (root / "usr/bin/bridgemaster").exists(), "the removal did not delete the program")
    inside(root, "dpkg --purge bridgemaster")
    for path in ("etc/bridgemaster", "var/lib/bridgemaster", "var/log/bridgemaster"):
        must(not (root / path).exists(), f"the purge did not delete /{path}")
    must("bridgemaster" not in inside(root, "getent passwd"), "the purge did not delete the user")
    print("removed and purged")
