"""Options of a bot, from arguments, environment variables and the bot itself."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ._address import DEFAULT_SERVER, parse_address, parse_proxy
from ._bot import Bot
from ._errors import OptionsError
from ._pause import PauseSwitch
from ._route import Server
from ._tls import TlsFiles

SERVER_VARIABLE = "BRIDGEMASTER_SERVER"
TICKET_VARIABLE = "BRIDGEMASTER_TICKET"
KEY_VARIABLE = "BRIDGEMASTER_KEY"
QUEUE_VARIABLE = "BRIDGEMASTER_QUEUE"
SLOTS_VARIABLE = "BRIDGEMASTER_SLOTS"
PROXY_VARIABLE = "BRIDGEMASTER_PROXY"
KEY_METADATA = "x-bridgemaster-key"
"""Name of the metadata entry that carries the API key of a call."""

CONNECT_FOR_S = 10.0
"""Default time to retry the first connection: a bot might start slightly before its server."""
RECONNECT_FOR_S = 30.0
"""Default time to resume a lost stream: three times the default reconnect time of a match."""
ATTEND_RECONNECT_FOR_S = 600.0
"""Default time to resume a lost stream while a bot attends a queue, and for each offered seat. A
server that is restarted, moved or repaired is often unavailable for minutes. A bot that stops
retrying forfeits its match, so the package leaves the decision to the reconnect time of the
match."""
MAX_NAME_CHARS = 64
"""Maximum length of a bot's name and of its version; the server refuses longer ones."""
MAX_SLOTS = 64
"""Maximum number of matches that a bot plays at once."""


@dataclass(frozen=True)
class Options:
    """The server and seat or queue to play, and how the bot introduces itself.

    A field that is None is taken from the environment, or from the bot.
    """

    server: str | None = None
    """Address of the server, such as `http://127.0.0.1:50051`, `127.0.0.1:50051`, or
    `https://host:50051`; the addresses of a cluster are separated by commas. None:
    `BRIDGEMASTER_SERVER`, or `http://127.0.0.1:50051`."""
    ticket: str | None = field(default=None, repr=False)
    """The join ticket of the seat. None: `BRIDGEMASTER_TICKET`."""
    key: str | None = field(default=None, repr=False)
    """The API key, for servers that require one. None: `BRIDGEMASTER_KEY`."""
    tls: TlsFiles = field(default_factory=TlsFiles)
    """PEM files for an `https://` address."""
    proxy: str | None = None
    """Address of an HTTP proxy, such as `http://127.0.0.1:3128`, which connects by CONNECT. None:
    `BRIDGEMASTER_PROXY`, or no proxy. gRPC still connects directly to hosts in the variable
    `no_proxy`. Other variables, such as `https_proxy`, are ignored."""
    name: str | None = None
    """Name of the bot; overrides the bot's own."""
    version: str | None = None
    """Version of the bot; overrides the bot's own."""
    games: Sequence[str] | None = None
    """Identifiers of the games that the bot plays; overrides the bot's own; empty for all."""
    queue: str | None = None
    """The queue to attend, instead of a ticket: the name of a contest or a ladder. None:
    `BRIDGEMASTER_QUEUE`."""
    slots: int | None = None
    """Number of matches that an attending bot plays at once: 1 to 64. None: `BRIDGEMASTER_SLOTS`,
    or 1."""
    connect_for_s: float = CONNECT_FOR_S
    """Time to keep trying the first connection."""
    reconnect_for_s: float | None = None
    """Time to keep trying to resume a lost stream, for each loss. None: 30 s, or 10 minutes with a
    queue, for the attendance and for each seat offered there."""
    pause: PauseSwitch | None = None
    """Pauses and resumes an attending bot."""


@dataclass(frozen=True)
class ResolvedOptions:
    """Validated options of one seat, with all defaults filled in."""

    servers: tuple[Server, ...]
    """The servers to try, in this order."""
    metadata: tuple[tuple[str, str], ...] = field(repr=False)
    name: str
    version: str
    games: tuple[str, ...]
    connect_for_s: float
    reconnect_for_s: float


@dataclass(frozen=True)
class ResolvedAttendOptions:
    """Validated options of an attendance, with all defaults filled in."""

    servers: tuple[Server, ...]
    metadata: tuple[tuple[str, str], ...] = field(repr=False)
    queue: str
    slots: int
    name: str
    version: str
    connect_for_s: float
    reconnect_for_s: float
    pause: PauseSwitch


def should_attend(options: Options) -> bool:
    """Return whether a bot attends a queue: a queue is named, and no ticket is set."""
    ticket = options.ticket or os.environ.get(TICKET_VARIABLE)
    return not ticket and bool(options.queue or os.environ.get(QUEUE_VARIABLE))


def resolve_attend_options(options: Options, bot: object) -> ResolvedAttendOptions:
    """Complete and validate the options of an attendance; raise `OptionsError` if not valid."""
    queue = options.queue or os.environ.get(QUEUE_VARIABLE)
    if not queue:
        raise OptionsError(f"no queue: set {QUEUE_VARIABLE}, or pass Options(queue=...)")
    slots: int | str = options.slots or os.environ.get(SLOTS_VARIABLE) or 1
    if not str(slots).isdecimal() or not 1 <= int(slots) <= MAX_SLOTS:
        raise OptionsError(f"slots: {slots!r} is out of range (1 to {MAX_SLOTS})")
    own = getattr(bot, "version", "")
    return ResolvedAttendOptions(
        servers=_servers(options),
        metadata=_key_metadata(options),
        queue=queue,
        slots=int(slots),
        name=_validate_name("name", bot_name(options, bot), min_chars=1),
        version=_validate_name("version", own if options.version is None else options.version),
        connect_for_s=options.connect_for_s,
        reconnect_for_s=_reconnect_for_s(options, offered=True),
        pause=options.pause or PauseSwitch(),
    )


def _reconnect_for_s(options: Options, *, offered: bool) -> float:
    if options.reconnect_for_s is not None:
        return options.reconnect_for_s
    return ATTEND_RECONNECT_FOR_S if offered else RECONNECT_FOR_S


def _servers(options: Options) -> tuple[Server, ...]:
    text = options.server or os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER
    addresses = [address.strip() for address in text.split(",")]
    targets = [(address, *parse_address(address)) for address in addresses]
    credentials = options.tls.credentials() if any(tls for _, _, tls in targets) else None
    proxy = options.proxy or os.environ.get(PROXY_VARIABLE)
    proxy = proxy and f"http://{parse_proxy(proxy)}"
    return tuple(
        Server(address, target, credentials if tls else None, proxy)
        for address, target, tls in targets
    )


def _key_metadata(options: Options) -> tuple[tuple[str, str], ...]:
    key = options.key or os.environ.get(KEY_VARIABLE)
    return ((KEY_METADATA, _validate_secret(key, "API key")),) if key else ()


def resolve_options(options: Options, bot: Bot) -> ResolvedOptions:
    """Complete and validate the options of a seat; raise `OptionsError` if not valid."""
    ticket = options.ticket or os.environ.get(TICKET_VARIABLE)
    if not ticket:
        raise OptionsError(
            f"no ticket: set {TICKET_VARIABLE}, or pass Options(ticket=...); "
            "creating a match returns a ticket for each seat"
        )
    games = bot.games if options.games is None else options.games
    if isinstance(games, str):
        raise OptionsError(f"games must be a list of identifiers, such as [{games!r}]")
    # An attendance sets the queue and the ticket of an offered seat, here or in the environment.
    offered = bool(options.queue or os.environ.get(QUEUE_VARIABLE))
    reconnect_for_s = _reconnect_for_s(options, offered=offered)
    # The server was reachable a moment ago, so the first connection is retried for as long as a
    # lost stream.
    connect_for_s = max(options.connect_for_s, reconnect_for_s if offered else 0.0)
    ticket_metadata = ("authorization", f"Bearer {_validate_secret(ticket, 'ticket')}")
    return ResolvedOptions(
        servers=_servers(options),
        metadata=(ticket_metadata, *_key_metadata(options)),
        name=_validate_name("name", bot_name(options, bot), min_chars=1),
        version=_validate_name(
            "version", bot.version if options.version is None else options.version
        ),
        games=tuple(games),
        connect_for_s=connect_for_s,
        reconnect_for_s=reconnect_for_s,
    )


def bot_name(options: Options, bot: object) -> str:
    """Return the name of a bot: the given one, or that of the program's file."""
    given = options.name if options.name is not None else getattr(bot, "name", None)
    if given is not None:
        return str(given)
    program = Path(sys.argv[0]).stem if sys.argv else ""
    # In a notebook or at a prompt, the name of the program is not that of the bot.
    usable = program.isprintable() and program not in ("", "-", "-c", "ipykernel_launcher")
    return program[:MAX_NAME_CHARS] if usable else "python-bot"


def _validate_secret(text: str, what: str) -> str:
    secret = text.strip()
    if not secret or not all("!" <= char <= "~" for char in secret):
        raise OptionsError(f"the {what} is not valid: it must be printable ASCII without spaces")
    return secret


def _validate_name(field: str, text: str, min_chars: int = 0) -> str:
    if min_chars <= len(text) <= MAX_NAME_CHARS and text.isprintable():
        return text
    raise OptionsError(
        f"{field}: {text!r} must have {min_chars} to {MAX_NAME_CHARS} printable characters"
    )
