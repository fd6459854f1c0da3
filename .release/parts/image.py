"""The container images, one for each processor, as archives that `podman load` and `skopeo` read.

They are made by deploy/Containerfile, in which Debian's packages replace the base, and the programs
of the part `program` replace the stage that compiles.
"""

import shutil

from .program import tree
from .release import TOP, FailedError, Release, run

PACKAGES = "base-files,libc6,libgcc-s1,ca-certificates"
"""The Debian packages of the base."""
SUITE = "bookworm"
BUNDLE = 'cat "$1"/usr/share/ca-certificates/mozilla/*.crt >"$1"/etc/ssl/certs/ca-certificates.crt'
"""The command that creates the file of all certificates, as installing the package would."""
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def build(release: Release) -> None:
    """Build the images without a container engine."""
    for tool in ("mmdebstrap", "buildah"):
        if shutil.which(tool) is None:
            raise FailedError(f"{tool} is missing: apt-get install mmdebstrap buildah")
    for machine in release.machines:
        program = tree(release, machine) / "bin/bridgemaster"
        if not program.is_file():
            raise FailedError(f"{program} is missing: build the part `program` first")
        build_for(release, machine)


def build_for(release: Release, machine: str) -> None:
    """Build the image of a processor."""
    folder, architecture = release.emptied("image"), ARCHITECTURES[machine]
    storage = [f"--root={folder}/images", f"--runroot={folder}/run", "--storage-driver=vfs"]
    context = folder / "context"
    context.mkdir()
    shutil.copy(tree(release, machine) / "bin/bridgemaster", context)
    time = {"SOURCE_DATE_EPOCH": str(release.time_s)}
    packages = ["--variant=extract", f"--include={PACKAGES}", f"--customize-hook={BUNDLE}"]
    base = ["mmdebstrap", "--quiet", f"--architectures={architecture}", *packages, SUITE]
    run(*base, context / "base.tar", **time)
    (folder / "Base").write_text("FROM scratch\nADD base.tar /\n")
    command = [
        "buildah",
        *storage,
        "bud",
        "--isolation=chroot",
        "--format=docker",
        f"--arch={architecture}",
    ]
    command += [f"--timestamp={release.time_s}", "--quiet"]
    run(*command, "--tag=base", f"--file={folder}/Base", context)
    name = f"{release.registry('image')}:{release.version}"
    replaced = [f"--build-context=build={context}", "--build-arg=RUNTIME=localhost/base"]
    run(*command, *replaced, f"--tag={name}", f"--file={TOP}/deploy/Containerfile", context)
    archive = release.folder / f"bridgemaster-{release.version}-image-{architecture}.tar"
    archive.unlink(missing_ok=True)
    run("buildah", *storage, "push", "--quiet", name, f"docker-archive:{archive}:{name}")
