"""How a bot reaches its seat, and what it says about itself."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from ._bot import Bot
from ._errors import OptionsError
from ._pause import PauseSwitch
from ._route import Place
from ._tls import TlsFiles

SERVER_VARIABLE = "BRIDGEMASTER_SERVER"
TICKET_VARIABLE = "BRIDGEMASTER_TICKET"
KEY_VARIABLE = "BRIDGEMASTER_KEY"
QUEUE_VARIABLE = "BRIDGEMASTER_QUEUE"
SLOTS_VARIABLE = "BRIDGEMASTER_SLOTS"
DEFAULT_SERVER = "http://127.0.0.1:50051"
KEY_METADATA = "x-bridgemaster-key"
"""Name of the metadata entry that carries the API key of a call."""

CONNECT_FOR_S = 10.0
"""A bot may be started a little before its server."""
RECONNECT_FOR_S = 30.0
"""Three times the default reconnect time of a match."""
ATTENDING_RECONNECT_FOR_S = 600.0
"""For a bot that attends a queue, and for each seat that was offered there: a server that is
restarted, moved or repaired is often away for minutes. A bot that gives up before it is back
forfeits its match, and whether it is too late is for the match's own reconnect time to say."""
MAX_NAME_CHARS = 64
"""Longest name and version of a bot that a server takes."""
MAX_SLOTS = 64
"""Most matches that a bot plays at once."""


@dataclass(frozen=True)
class Options:
    """How a bot reaches its seat, and what it says about itself.

    What is None is taken from the environment, or from the bot.
    """

    server: str | None = None
    """Address of the server, such as `http://127.0.0.1:50051`, `127.0.0.1:50051`, or
    `https://host:50051`; those of a cluster with commas between them; `BRIDGEMASTER_SERVER`, or
    `http://127.0.0.1:50051`."""
    ticket: str | None = field(default=None, repr=False)
    """The join ticket of the seat; `BRIDGEMASTER_TICKET`."""
    key: str | None = field(default=None, repr=False)
    """The API key, for servers that ask for one; `BRIDGEMASTER_KEY`."""
    tls: TlsFiles = field(default_factory=TlsFiles)
    """PEM files for an `https://` address."""
    name: str | None = None
    """Name of the bot, instead of the bot's own."""
    version: str | None = None
    """Version of the bot, instead of the bot's own."""
    games: Sequence[str] | None = None
    """Identifiers of the games that it plays, instead of the bot's own; empty for all."""
    queue: str | None = None
    """The queue to attend, instead of a ticket: the name of a contest or a ladder;
    `BRIDGEMASTER_QUEUE`."""
    slots: int | None = None
    """Matches that a bot which attends a queue plays at once: 1 to 64; `BRIDGEMASTER_SLOTS`,
    or 1."""
    connect_for_s: float = CONNECT_FOR_S
    """How long the first connection is tried for."""
    reconnect_for_s: float | None = None
    """How long a lost server is looked for, each time: 30 s, or with a queue 10 minutes, for the
    attendance and for each seat that was offered there."""
    pause: PauseSwitch | None = None
    """Pauses a bot which attends a queue, for whoever keeps it."""


@dataclass(frozen=True)
class Seating:
    """Options that were checked, with all that was taken from elsewhere."""

    places: tuple[Place, ...]
    """The servers, in the order in which they were named."""
    metadata: tuple[tuple[str, str], ...] = field(repr=False)
    name: str
    version: str
    games: tuple[str, ...]
    connect_for_s: float
    reconnect_for_s: float


@dataclass(frozen=True)
class Queueing:
    """Options of an attendance that were checked, with all that was taken from elsewhere."""

    places: tuple[Place, ...]
    metadata: tuple[tuple[str, str], ...] = field(repr=False)
    queue: str
    slots: int
    name: str
    version: str
    connect_for_s: float
    reconnect_for_s: float
    pause: PauseSwitch


def attends(options: Options) -> bool:
    """Return whether a bot is to attend a queue: one is named, and no ticket."""
    ticket = options.ticket or os.environ.get(TICKET_VARIABLE)
    return not ticket and bool(options.queue or os.environ.get(QUEUE_VARIABLE))


def queueing(options: Options, bot: object) -> Queueing:
    """Check the options and complete them; raise `OptionsError` for what cannot be used."""
    queue = options.queue or os.environ.get(QUEUE_VARIABLE)
    if not queue:
        raise OptionsError(f"no queue: set {QUEUE_VARIABLE}, or give Options(queue=...)")
    slots: int | str = options.slots or os.environ.get(SLOTS_VARIABLE) or 1
    if not str(slots).isdecimal() or not 1 <= int(slots) <= MAX_SLOTS:
        raise OptionsError(f"a bot plays 1 to {MAX_SLOTS} matches at once, not {slots!r}")
    own = getattr(bot, "version", "")
    return Queueing(
        places=_places(options),
        metadata=_key(options),
        queue=queue,
        slots=int(slots),
        name=_name("name", bot_name(options, bot), least=1),
        version=_name("version", own if options.version is None else options.version),
        connect_for_s=options.connect_for_s,
        reconnect_for_s=_reconnect_for_s(options, offered=True),
        pause=options.pause or PauseSwitch(),
    )


def _reconnect_for_s(options: Options, *, offered: bool) -> float:
    if options.reconnect_for_s is not None:
        return options.reconnect_for_s
    return ATTENDING_RECONNECT_FOR_S if offered else RECONNECT_FOR_S


def _places(options: Options) -> tuple[Place, ...]:
    named = options.server or os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER
    servers = [server.strip() for server in named.split(",")]
    targets = [(server, *target_of(server)) for server in servers]
    credentials = options.tls.credentials() if any(tls for _, _, tls in targets) else None
    return tuple(
        Place(server, target, credentials if encrypted else None)
        for server, target, encrypted in targets
    )


def _key(options: Options) -> tuple[tuple[str, str], ...]:
    key = options.key or os.environ.get(KEY_VARIABLE)
    return ((KEY_METADATA, _secret(key, "API key")),) if key else ()


def seating(options: Options, bot: Bot) -> Seating:
    """Check the options and complete them; raise `OptionsError` for what cannot be used."""
    ticket = options.ticket or os.environ.get(TICKET_VARIABLE)
    if not ticket:
        raise OptionsError(
            f"no ticket: set {TICKET_VARIABLE}, or give Options(ticket=...); "
            "creating a match returns one for each seat"
        )
    games = bot.games if options.games is None else options.games
    if isinstance(games, str):
        raise OptionsError(f"games is a list of identifiers, such as [{games!r}]")
    # Who attends has both, or has started this for an offer.
    offered = bool(options.queue or os.environ.get(QUEUE_VARIABLE))
    reconnect_for_s = _reconnect_for_s(options, offered=offered)
    # The server that offered it was there a moment ago: one that is not reached is lost.
    connect_for_s = max(options.connect_for_s, reconnect_for_s if offered else 0.0)
    return Seating(
        places=_places(options),
        metadata=(("authorization", f"Bearer {_secret(ticket, 'ticket')}"), *_key(options)),
        name=_name("name", bot_name(options, bot), least=1),
        version=_name("version", bot.version if options.version is None else options.version),
        games=tuple(games),
        connect_for_s=connect_for_s,
        reconnect_for_s=reconnect_for_s,
    )


def bot_name(options: Options, bot: object) -> str:
    """Return the name of a bot: one that was given, or that of the program's file."""
    given = options.name if options.name is not None else getattr(bot, "name", None)
    if given is not None:
        return str(given)
    program = Path(sys.argv[0]).stem if sys.argv else ""
    # Without a program of its own, the bot runs in a notebook or a prompt.
    own = program.isprintable() and program not in ("", "-", "-c", "ipykernel_launcher")
    return program[:MAX_NAME_CHARS] if own else "python-bot"


def target_of(server: str) -> tuple[str, bool]:
    """Return what gRPC dials for an address, host and port, and whether TLS is spoken there."""
    try:
        url = urlsplit(server if "://" in server else f"http://{server}")
        port = url.port
    except ValueError as error:
        raise OptionsError(f"server {server!r} is no address: {error}") from error
    if (
        url.scheme not in ("http", "https")
        or not url.hostname
        or port is None
        or url.path not in ("", "/")
    ):
        raise OptionsError(f"server {server!r} is not an address such as {DEFAULT_SERVER}")
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return f"{host}:{port}", url.scheme == "https"


def _secret(text: str, what: str) -> str:
    secret = text.strip()
    if not secret or not all("!" <= char <= "~" for char in secret):
        raise OptionsError(f"the {what} has characters that none has: copy it again")
    return secret


def _name(what: str, text: str, least: int = 0) -> str:
    if least <= len(text) <= MAX_NAME_CHARS and text.isprintable():
        return text
    raise OptionsError(
        f"the bot's {what} {text!r} must have {least} to {MAX_NAME_CHARS} printable characters"
    )
