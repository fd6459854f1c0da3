"""The events of a seat, in the order in which they are handled."""

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
    """A stream received a message or ended."""

    stream: "Stream"
    payload: PlayResponse | grpc.RpcError | None
    """A message, the failure of the stream, or None for its regular end."""


@dataclass(frozen=True)
class Answered:
    """The bot answered a request."""

    request: Request
    choice: Choice


@dataclass(frozen=True)
class BotDone:
    """The bot's thread has finished all calls, or a call raised an exception."""

    raised: BaseException | None


class Stopped:
    """The caller stopped playing."""


Event: TypeAlias = FromServer | Answered | BotDone | Stopped
Events: TypeAlias = "SimpleQueue[Event]"
