"""Write a Bridgemaster bot in Python.

A complete bot:

    import bridgemaster

    def decide(request):
        return request.legal_count // 2  # the legal decision in the middle of the list

    bridgemaster.run(decide)

Environment variables select the match: `BRIDGEMASTER_TICKET` is the join ticket of the seat,
`BRIDGEMASTER_SERVER` the address of the server, and `BRIDGEMASTER_KEY` the API key if the server
requires one. `play` and `play_async` take `Options` instead, and return the result of the match.

If `BRIDGEMASTER_QUEUE` names the queue of a contest or a ladder and no ticket is set, the same
program attends the queue and plays each match it is offered. `attend` takes `Options` instead.

The messages of the protocol are in `bridgemaster.v1` and `bridgemaster.games`.
"""

import os

# By default, gRPC logs every closed connection to standard error. It reads this variable on import.
# This package logs what is relevant to a bot.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")

from ._address import DEFAULT_SERVER
from ._attend import attend
from ._bot import Answer, AnyBot, AsyncBot, AsyncDecide, Bot, Choice, Decide, Resign
from ._conversation import PROTOCOL_REVISION
from ._errors import (
    Advice,
    BrokenSeedCommitmentError,
    NoLegalDecisionError,
    OptionsError,
    PlayError,
    ProtocolError,
    RefusedError,
    ServerLostError,
    TlsError,
)
from ._options import (
    KEY_VARIABLE,
    PROXY_VARIABLE,
    QUEUE_VARIABLE,
    SERVER_VARIABLE,
    SLOTS_VARIABLE,
    TICKET_VARIABLE,
    Options,
)
from ._pause import PauseSwitch
from ._play import play, play_async
from ._request import Clock, Request
from ._run import run
from ._seed_commitment import seed_commitment
from ._tls import (
    CA_VARIABLE,
    CLIENT_CERT_VARIABLE,
    CLIENT_KEY_VARIABLE,
    TlsFiles,
)

__all__ = [
    "CA_VARIABLE",
    "CLIENT_CERT_VARIABLE",
    "CLIENT_KEY_VARIABLE",
    "DEFAULT_SERVER",
    "KEY_VARIABLE",
    "PROTOCOL_REVISION",
    "PROXY_VARIABLE",
    "QUEUE_VARIABLE",
    "SERVER_VARIABLE",
    "SLOTS_VARIABLE",
    "TICKET_VARIABLE",
    "Advice",
    "Answer",
    "AnyBot",
    "AsyncBot",
    "AsyncDecide",
    "Bot",
    "BrokenSeedCommitmentError",
    "Choice",
    "Clock",
    "Decide",
    "NoLegalDecisionError",
    "Options",
    "OptionsError",
    "PauseSwitch",
    "PlayError",
    "ProtocolError",
    "RefusedError",
    "Request",
    "Resign",
    "ServerLostError",
    "TlsError",
    "TlsFiles",
    "attend",
    "play",
    "play_async",
    "run",
    "seed_commitment",
]

# Present public names as members of this package in tracebacks and help texts.
for _name in __all__:
    if getattr(globals()[_name], "__module__", "").startswith(f"{__name__}._"):
        globals()[_name].__module__ = __name__
