"""The build backend: flit_core, extended to generate the protocol code first.

In the repository this requires the generators. An sdist contains the generated code.
"""

from typing import Any

from flit_core import buildapi

import protocol_code

prepare_metadata_for_build_wheel = buildapi.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = buildapi.prepare_metadata_for_build_editable


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return the requirements of a build besides flit_core."""
    return protocol_code.REQUIREMENTS if protocol_code.can_generate() else []


get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel; return the name of its file."""
    _generate()
    name: str = buildapi.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel that refers to the source; return the name of its file."""
    _generate()
    name: str = buildapi.build_editable(wheel_directory, config_settings, metadata_directory)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build an sdist; return the name of its file."""
    _generate()
    name: str = buildapi.build_sdist(sdist_directory, config_settings)
    return name


def _generate() -> None:
    if protocol_code.can_generate():
        protocol_code.generate()
