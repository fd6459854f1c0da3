"""What may go to a terminal: text from outside must not take it over."""


def shown(text: object) -> str:
    r"""Give text on one line; what is not printable is escaped, as in `\x1b` and `\n`."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in str(text)
    )
