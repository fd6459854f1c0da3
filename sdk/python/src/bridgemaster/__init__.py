"""Write a Bridgemaster bot in Python.

A complete bot:

    import bridgemaster

    def decide(request):
        return request.legal_count // 2  # the legal decision in the middle of the list

    bridgemaster.run(decide)

The environment says what to play: `BRIDGEMASTER_TICKET` has the join ticket of the seat,
`BRIDGEMASTER_SERVER` the address of the server, and `BRIDGEMASTER_KEY` the API key if the server
asks for one. `play` and `play_async` take `Options` instead, and return the result of the match.

Where `BRIDGEMASTER_QUEUE` names the queue of a contest or a ladder instead of a ticket, the same
program attends it, and plays each match that it is offered there. `attend` takes `Options`.

The messages of the protocol are in `bridgemaster.v1` and `bridgemaster.games`.
"""

import os

# gRPC writes notes on every connection that ends to standard error, unless told otherwise before
# it is imported. What a bot has to know of them, this package logs.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")

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
)
from ._options import (
    DEFAULT_SERVER,
    KEY_VARIABLE,
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
    "TlsFiles",
    "attend",
    "play",
    "play_async",
    "run",
    "seed_commitment",
]

# They are used from here, and so tracebacks and help texts name them so.
for _name in __all__:
    if getattr(globals()[_name], "__module__", "").startswith(f"{__name__}._"):
        globals()[_name].__module__ = __name__
