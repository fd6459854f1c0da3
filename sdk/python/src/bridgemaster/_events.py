"""What happens to a seat, in the order in which it is handled."""

from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

import grpc

from bridgemaster.v1.play_pb2 import PlayResponse

from ._bot import Choice
from ._request import Request

if TYPE_CHECKING:
    from ._stream import Stream


@dataclass(frozen=True)
class FromServer:
    """Something came on a stream."""

    stream: "Stream"
    what: PlayResponse | grpc.RpcError | None
    """A message; how the stream failed; None for its end."""


@dataclass(frozen=True)
class Answered:
    """The bot has chosen."""

    request: Request
    choice: Choice


@dataclass(frozen=True)
class BotDone:
    """The bot has done all that it was given, or what it raised."""

    raised: BaseException | None


class Stopped:
    """The caller does not want to play any more."""


Event: TypeAlias = FromServer | Answered | BotDone | Stopped
Events: TypeAlias = "SimpleQueue[Event]"
