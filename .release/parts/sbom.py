"""The bill of materials of the program, in the format CycloneDX 1.6."""

import json
import uuid
from typing import Any

import tomllib

from .dependencies import Crate, crates
from .release import TOP, FailedError, Release, environment_of_tools, run

CHECK = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(error) if error else 0)
"""


def build(release: Release) -> None:
    """Write the document, and validate it against the schema of CycloneDX."""
    file = release.folder / f"bridgemaster-{release.version}.cdx.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document(release), indent=2) + "\n")
    run(environment_of_tools(release) / "bin/python", "-c", CHECK, file)


def document(release: Release) -> dict[str, Any]:
    """Return the document; equal sources have equal documents."""
    lock = tomllib.loads((TOP / "Cargo.lock").read_text())
    sums = {(each["name"], each["version"]): each.get("checksum") for each in lock["package"]}
    program, *others = crates()
    if program.version != release.version:
        raise FailedError(f"Cargo.toml has the version {program.version}, not {release.version}")
    purls = {crate.id: crate.purl for crate in crates()}
    name = f"{release.settings['repository']}/v{release.version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}",
        "version": 1,
        "metadata": {"component": {**component(program, sums), "type": "application"}},
        "components": [component(crate, sums) for crate in others],
        "dependencies": [
            {"ref": crate.purl, "dependsOn": sorted({purls[need] for need in crate.needs})}
            for crate in crates()
        ],
    }


def component(crate: Crate, sums: dict[tuple[str, str], str | None]) -> dict[str, Any]:
    """Return the entry of a crate."""
    entry: dict[str, Any] = {
        "type": "library",
        "bom-ref": crate.purl,
        "name": crate.name,
        "version": crate.version,
        "licenses": [{"expression": crate.licence}],
        "purl": crate.purl,
    }
    if digest := sums[crate.name, crate.version]:
        entry["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return entry
