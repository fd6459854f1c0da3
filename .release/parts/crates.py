"""The crates of bots: rules, protocol and library.

The program is published as a binary only. As crates, its twenty internal parts would get public
interfaces that have to stay compatible, and an installation would compile for minutes.
"""

from .release import TOP, Release, run

CRATES = ("bridgemaster-games", "bridgemaster-proto", "bridgemaster-sdk")


def build(release: Release) -> None:
    """Pack the crates, and build each from its package, as before an upload."""
    target = release.work / "crates"
    run(
        *("cargo", "publish", "--workspace", "--dry-run", "--locked"),
        *("--allow-dirty", "--quiet", "--target-dir", target),
        cwd=TOP,
    )
    for crate in CRATES:
        release.publish(target / "package" / f"{crate}-{release.version}.crate")
