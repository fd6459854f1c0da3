"""The Action: it downloads the program, verifies its digest, and plays a contest."""

import os
import shutil

from parts.release import FailedError, environment_of_tools

from .environment import Environment
from .served import served

FLAGS = "--game bridges_to_nowhere\n--bot greedy\n--against random\n--max-matches 8"


def run(environment: Environment) -> None:
    """Run the steps of action.yml in a copy of the checkout, without a Rust toolchain."""
    release = environment.release
    source = environment.folder / "action"
    shutil.copytree(release.source, source)
    digests = environment.file("action.sha256").read_text()
    if not digests:
        raise FailedError("action.sha256 has no program: build `program` and `sums`")
    (source / ".release/action.sha256").write_text(digests)
    python = environment_of_tools(release) / "bin/python"
    shutil.copytree(python.parents[1], environment.folder / "tools", symlinks=True)
    names = source / ".release/settings.toml"
    with served(environment.files) as address:
        download = str(release.settings["download"])
        names.write_text(names.read_text().replace(download, f"{address}/{{file}}"))
        command = (
            f"{environment.folder}/tools/bin/python {source}/.ci/action --work {environment.bot}"
        )
        environment.variables["PATH"] = without_cargo(environment.variables["PATH"])
        printed = environment.run(f"{command} --input flags='{FLAGS}' || true")
    if "report=" not in printed or "Compiling" in printed:
        raise FailedError(f"the action did not play with a downloaded program:\n{printed[-3000:]}")
    print(printed.strip().splitlines()[-4])


def without_cargo(path: str) -> str:
    """Return a search path without cargo."""
    folders = path.split(":")
    return ":".join(folder for folder in folders if not os.path.exists(f"{folder}/cargo"))
