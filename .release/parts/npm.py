"""The npm package: the tarball that `npm publish` uploads."""

import json

from .release import FailedError, Release, run


def build(release: Release) -> None:
    """Build and pack the package."""
    folder = release.source / "sdk/typescript"
    quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    # `prepare` generates the code of the protocol and compiles.
    run("npm", "install", *quiet, cwd=folder)
    built = release.emptied("npm")
    packed = run(
        "npm", "pack", "--json", "--ignore-scripts", f"--pack-destination={built}", cwd=folder
    )
    [package] = json.loads(packed)
    found, wanted = (
        (package["name"], package["version"]),
        (release.registry("npm"), release.version),
    )
    if found != wanted:
        raise FailedError(f"sdk/typescript/package.json: {found}, not {wanted}")
    release.publish(built / package["filename"])
