"""The command line: plays one match with one of the bots of this package."""

import argparse
import logging
import sys

from .connection import DEFAULT_SERVER, KEY_VARIABLE, SERVER_VARIABLE, TICKET_VARIABLE, play
from .program import told
from .random_bot import RandomBot
from .sample import SampleBot
from .terminal import EscapingFormatter
from .tls import CA_VARIABLE, CLIENT_CERT_VARIABLE, CLIENT_KEY_VARIABLE, TlsFiles

BOTS = {"random": RandomBot, "sample": SampleBot}


def main() -> int:
    """Play, and say how it ended; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bridgemaster_bot", description=__doc__)
    parser.add_argument(
        "bot",
        nargs="?",
        choices=sorted(BOTS),
        default="sample",
        help="which bot plays (default: %(default)s)",
    )
    parser.add_argument(
        "--server",
        metavar="URL",
        help=f"address of the server (default: ${SERVER_VARIABLE}, else {DEFAULT_SERVER})",
    )
    parser.add_argument(
        "--ticket",
        help=f"join ticket of the seat (default: ${TICKET_VARIABLE}); other users "
        "of the machine can see a command line, but not the variable",
    )
    parser.add_argument(
        "--key",
        help=f"API key, for a server that asks for one (default: ${KEY_VARIABLE})",
    )
    parser.add_argument(
        "--ca",
        metavar="FILE",
        help=f"certificates to trust for an https:// address (default: ${CA_VARIABLE})",
    )
    parser.add_argument(
        "--client-cert",
        metavar="FILE",
        help=f"own certificate, for a server that asks for one (default: ${CLIENT_CERT_VARIABLE})",
    )
    parser.add_argument(
        "--client-key",
        metavar="FILE",
        help=f"private key of the own certificate (default: ${CLIENT_KEY_VARIABLE})",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="makes the bot's own choices repeatable"
    )
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="say on standard error what happens to the connection",
    )
    arguments = parser.parse_args()
    log = logging.StreamHandler()
    log.setFormatter(EscapingFormatter(logging.BASIC_FORMAT))
    level = logging.DEBUG if arguments.verbose else logging.WARNING
    logging.basicConfig(level=level, handlers=[log])
    logging.getLogger("asyncio").setLevel(logging.WARNING)

    bot = BOTS[arguments.bot](arguments.seed)
    tls = TlsFiles(arguments.ca, arguments.client_cert, arguments.client_key)
    return told(bot.name, lambda: play(bot, arguments.server, arguments.ticket, arguments.key, tls))


if __name__ == "__main__":
    sys.exit(main())
