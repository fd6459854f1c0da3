"""Escapes text from outside, so that it cannot control the terminal."""


def escape(text: object) -> str:
    r"""Return text on one line; characters that are not printable are escaped, as in `\x1b`."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in str(text)
    )
