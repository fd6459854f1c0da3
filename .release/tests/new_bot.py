"""New repositories of bots: each is cloned, built from a tag of this repository, and checked.

The tag is in a local copy of the repository, to which git redirects the address of the forge. The
files of the release are served on the loopback interface.
"""

from parts.release import run as run_here

from .environment import Environment
from .served import served

LANGUAGES = ("python", "typescript", "go", "java", "cpp", "rust")


def run(environment: Environment) -> None:
    """Create, push, clone and check a bot of each language."""
    program = environment.install_program()
    publish_source(environment)
    with served(environment.files) as address:
        for language in LANGUAGES:
            check(environment, language, str(program), address)


def check(environment: Environment, language: str, program: str, address: str) -> None:
    """Create a bot, commit and clone it, and run its CI script in the clone."""
    release, folder = environment.release, environment.bot / language
    environment.run(f"{program} new-bot --language {language} {folder}")
    identity = "-c user.name=n -c user.email=e -c commit.gpgsign=false"
    environment.run(f"git init -q . && git add . && git {identity} commit -qm bot", folder)
    cloned = environment.bot / f"{language}-cloned"
    environment.run(f"git clone -q {folder} {cloned}")
    forge = release.download("").rstrip("/")
    environment.run(f"grep -rlF {forge} . | xargs sed -i 's|{forge}|{address}|'", cloned)
    # With an archive of the program in the release, `ci/check` downloads it.
    without = "" if release.program else "PATH=${PATH#*:} "
    environment.run(f"{without}sh ci/check", cloned, **variables(environment))
    print(f"{language}: a clone passes ci/check")


def publish_source(environment: Environment) -> None:
    """Commit the tracked files to a new repository with the tags of the release."""
    release, copy = environment.release, environment.folder / "repository"
    run_here("cp", "-r", release.source, copy)
    version = f"v{release.version}"
    identity = "-c user.name=n -c user.email=e -c commit.gpgsign=false"
    environment.run(
        f"git init -q . && git add --all --force . && git {identity} commit -qm release "
        f"&& git tag {version} && git tag bots/go/{version}",
        copy,
    )
    forge = release.settings["repository"]
    environment.run(f"git config --global url.file://{copy}.insteadOf {forge}")
    environment.run("git config --global protocol.file.allow always")


def variables(environment: Environment) -> dict[str, str]:
    """Return variables that let tools fetch with git, and create only writable folders."""
    return {
        "CARGO_NET_GIT_FETCH_WITH_CLI": "true",
        "CARGO_HOME": str(environment.folder / "home/.cargo"),
        "GOPRIVATE": environment.release.registry("go"),
        "GOFLAGS": "-modcacherw -buildvcs=false",
        "MAVEN_OPTS": f"-Duser.home={environment.folder / 'home'}",
    }
