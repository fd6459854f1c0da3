"""The Go module, as the module proxy serves it.

The module is published by the tag `bots/go/vVERSION`. For tests before that, the folder of this
part is a module proxy: `GOPROXY=file:///.../go`.
"""

import json
from datetime import UTC, datetime

from .archives import zip_of
from .release import FailedError, Release


def build(release: Release) -> None:
    """Write the files `VERSION.info`, `.mod` and `.zip`, and the list of versions."""
    module, version = release.registry("go"), f"v{release.version}"
    folder = release.source / "bots/go"
    if f"module {module}\n" not in (folder / "go.mod").read_text():
        raise FailedError(f"bots/go/go.mod does not have the module path {module}")
    served = release.folder / "go" / module / "@v"
    served.mkdir(parents=True, exist_ok=True)
    time = datetime.fromtimestamp(release.time_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    (served / "list").write_text(f"{version}\n")
    (served / f"{version}.info").write_text(json.dumps({"Version": version, "Time": time}))
    (served / f"{version}.mod").write_bytes((folder / "go.mod").read_bytes())
    files = (path for path in folder.rglob("*") if path.is_file())
    named = {f"{module}@{version}/{path.relative_to(folder).as_posix()}": path for path in files}
    zip_of({name: path.read_bytes() for name, path in named.items()}, served / f"{version}.zip")
