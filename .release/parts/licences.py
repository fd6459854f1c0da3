"""The licences of the third-party code in the program, each text once."""

import re

from .dependencies import Crate, crates
from .release import TOP, FailedError

FILES = re.compile(r"(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)
RULE = "=" * 80


def text() -> str:
    """Return a list of the crates with their licences, and the texts of these licences."""
    foreign = [crate for crate in crates() if not crate.is_own]
    texts: dict[str, list[str]] = {}
    siblings = {crate.repository: own_texts(crate) for crate in foreign if own_texts(crate)}
    for crate in foreign:
        # Some crates have the text of their licence only in their repository.
        found = own_texts(crate) or siblings.get(crate.repository) or apache(crate)
        for each in found:
            texts.setdefault(each, []).append(f"{crate.name} {crate.version}")
    lines = [f"{crate.name} {crate.version}: {crate.licence}" for crate in foreign]
    sections = [f"{RULE}\n{wrapped(names)}\n{RULE}\n\n{body}\n" for body, names in texts.items()]
    return "\n".join(
        [
            "The program bridgemaster contains these crates:\n",
            *lines,
            "",
            page_licences(),
            "\nThe texts of the licences, each with its crates:\n",
            *sections,
        ]
    )


def own_texts(crate: Crate) -> list[str]:
    """Return the licence files of a crate."""
    files = [path for path in sorted(crate.folder.iterdir()) if FILES.match(path.name)]
    read = [path.read_text(errors="replace") for path in files if path.is_file()]
    return [re.sub(r"[ \t]+$", "", each, flags=re.MULTILINE).strip() for each in read]


def apache(crate: Crate) -> list[str]:
    """Return the text of Apache 2.0, the only licence here whose text does not name an owner."""
    if "Apache-2.0" not in crate.licence:
        raise FailedError(
            f"{crate.name} {crate.version} has no text of its licence {crate.licence}"
        )
    return [(TOP / "LICENSE-APACHE").read_text().strip()]


def wrapped(names: list[str]) -> str:
    """Return names as lines of at most 80 characters."""
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) > 78:
            lines.append("")
        lines[-1] += f"{', ' if lines[-1] else ''}{name}"
    return ",\n".join(lines)


def page_licences() -> str:
    """Return the notice of the web page, which the program contains."""
    notice = re.match(r"/\*!(.+?)\*/", (TOP / "server/page/dist/page.js").read_text(), re.DOTALL)
    if notice is None:
        raise FailedError("server/page/dist/page.js does not begin with the notice of its licences")
    return f"The web page in the program:{notice[1].rstrip()}"
