"""The Maven artifacts, in the layout of a repository, and the sample bot as one jar.

A registry also requires signatures, which the owner's key makes: `mvn gpg:sign-and-deploy-file`.
"""

import shutil
from datetime import UTC, datetime

from .release import FailedError, Release, run


def build(release: Release) -> None:
    """Deploy the library to a folder."""
    repository = release.folder / "maven"
    shutil.rmtree(repository, ignore_errors=True)
    time = datetime.fromtimestamp(release.time_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    flags = [
        *("--batch-mode", "--quiet", "-Dmaven.test.skip", f"--file={release.source / 'bots/java'}"),
        f"-Dproject.build.outputTimestamp={time}",
        f"-DaltDeploymentRepository=folder::file://{repository}",
    ]
    run("mvn", *flags, "-Prelease", "--projects=client", "--also-make", "deploy")
    group = release.registry("maven_group").replace(".", "/")
    artifact = release.registry("maven_artifact")
    deployed = repository / group / artifact / release.version
    for kind in ("", "-sources", "-javadoc"):
        if not (deployed / f"{artifact}-{release.version}{kind}.jar").is_file():
            raise FailedError(
                f"{deployed} lacks the jar{kind}: the name or version in pom.xml differs"
            )
    # The metadata has the time of the deployment.
    for path in repository.rglob("maven-metadata.xml*"):
        path.unlink()
    run("mvn", *flags, "package")
    jar = release.source / "bots/java/sample-bot/target/sample-bot.jar"
    release.publish(jar, f"sample-bot-{release.version}.jar")
