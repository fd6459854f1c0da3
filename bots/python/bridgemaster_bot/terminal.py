"""What goes to a terminal: text from outside must not take it over."""

import logging


def shown(text: object) -> str:
    r"""Give text on one line; what is not printable is escaped, as in `\x1b` and `\n`."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in str(text)
    )


class EscapingFormatter(logging.Formatter):
    """A formatter of log lines in which nothing but its own line breaks gets through."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record."""
        return "\n".join(shown(line) for line in super().format(record).split("\n"))
