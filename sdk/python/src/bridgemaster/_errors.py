"""Why a match could not be played to its end, and what to do about it."""

from enum import Enum
from typing import cast

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import DecisionRejected, MatchEnded
from bridgemaster.v1.refusal_pb2 import RefusalReason

from ._terminal import shown

_DOMAIN = "bridgemaster"
_PREFIX = "REFUSAL_REASON_"
_DETAILS = "grpc-status-details-bin"
"""The trailer in which the details of a status travel."""

REASONS_TO_RETRY = frozenset(
    {
        "HELLO_LATE",
        "SLOW_CONSUMER",
        "LIMIT_REACHED",
        "SERVER_STOPPING",
        "STORAGE_FAILED",
        "MATCH_RUNNING",
        "GROUP_RUNNING",
        "MOVED",
        "NODE_SUPERSEDED",
        "ATTENDANCE_UNKNOWN",
        "BOT_NOT_AVAILABLE",
        "KEYS_UNREADABLE",
    }
)
"""The reasons that PROTOCOL.md marks with *retry*."""

REASONS_TO_STOP = frozenset(
    {
        "SUPERSEDED",
        "SEAT_CLOSED",
        "MATCH_CANCELLED",
        "MATCH_ENDED",
        "OFFER_UNKNOWN",
        "LADDER_CLOSED",
        "REPLAY_FORGOTTEN",
        "DATA_DAMAGED",
    }
)
"""The reasons that PROTOCOL.md marks with *stop*."""

_CODES_TO_RETRY = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
)
"""What a broken connection looks like, for a status without a reason that is known here."""


class Advice(Enum):
    """What to do about an error."""

    RETRY = "try again later"
    """Connect again, after a pause."""
    FIX = "fix the bot or its options"
    """Trying again fails in the same way."""
    STOP = "nothing is left to play"
    """The seat is not to be played any more."""


class PlayError(Exception):
    """The match could not be played to its end; the text says why, on one line."""

    advice: Advice = Advice.FIX
    """What to do about it."""
    reason: str | None = None
    """The reason of the server's refusal, such as `TICKET_UNKNOWN`: one of the table in
    PROTOCOL.md. None when the server did not refuse."""

    def __init__(self, message: str) -> None:
        """Take the text; what is not printable in it is escaped."""
        super().__init__(shown(message))


class OptionsError(PlayError, ValueError):
    """The options, or the environment variables in their place, cannot be used."""


class RefusedError(PlayError):
    """The server refused, and trying again does not help."""

    reason: str

    def __init__(self, reason: str, message: str, metadata: dict[str, str], advice: Advice) -> None:
        """Keep what the server said."""
        super().__init__(f"the server refused: {reason}: {message} ({advice.value})")
        self.reason = reason
        self.metadata = metadata
        """Further facts, such as the scope that a key lacks."""
        self.advice = advice


class ServerLostError(PlayError):
    """No server answered in the time for connecting, or a lost stream did not come back in time.

    `reason` is that of the last refusal, such as `SERVER_STOPPING`, if there was one.
    """

    advice = Advice.RETRY

    def __init__(self, message: str, reason: str | None) -> None:
        """Keep the last refusal."""
        super().__init__(message)
        self.reason = reason


class ProtocolError(PlayError):
    """The other side is no Bridgemaster server, or one that breaks the protocol."""


class BrokenSeedCommitmentError(PlayError):
    """The match is over, and its seed is not the one that the server had committed to."""

    advice = Advice.STOP

    def __init__(self, commitment: str, ended: MatchEnded) -> None:
        """Keep what the server said."""
        super().__init__(
            "the server played another seed than it had committed to: the commitment was "
            f"{commitment}, the seed revealed is {ended.seed!r} with the salt {ended.seed_salt!r}"
        )
        self.result: MatchResult = ended.result
        """The result all the same."""


class NoLegalDecisionError(PlayError):
    """The bot kept answering one request with decisions that were refused."""

    def __init__(self, times: int, last: DecisionRejected) -> None:
        """Keep the last refusal."""
        super().__init__(
            f"request {last.request_id} was answered {times} times with a decision that was "
            f"refused; at last: {explanation(last)}"
        )
        self.last = last
        """The last refusal."""
        self.reason = reason_name(last.reason)


class StreamLostError(Exception):
    """A stream ended before the match did; another one may carry on."""

    def __init__(
        self, message: str, reason: str | None = None, moved_to: str | None = None
    ) -> None:
        """Keep the reason of the server, if it gave one, and where it sends the caller."""
        super().__init__(shown(message))
        self.reason = reason
        self.moved_to = moved_to


def error_of(failure: grpc.RpcError) -> StreamLostError | PlayError:
    """Sort a gRPC failure: `StreamLostError` when trying again may help, another error when not."""
    # What a call raises is the call itself; the types of grpcio do not say so.
    call = cast("grpc.Call", failure)
    info = _error_info(call)
    code = call.code()
    message = call.details() or code.name
    if info is None:
        if code in _CODES_TO_RETRY:
            return StreamLostError(f"{code.name}: {message}")
        return ProtocolError(
            f"the call failed; is this a Bridgemaster server? {code.name}: {message}"
        )
    advice = _advice(info.reason, code)
    if advice is Advice.RETRY:
        moved_to = info.metadata.get("address") if info.reason == "MOVED" else None
        return StreamLostError(f"{info.reason}: {message}", info.reason, moved_to)
    return RefusedError(info.reason, message, dict(info.metadata), advice)


def reason_name(number: int) -> str:
    """Return the name of a reason in a message; a newer server may send one that has none here."""
    value = RefusalReason.DESCRIPTOR.values_by_number.get(number)
    return value.name.removeprefix(_PREFIX) if value is not None else f"reason {number}"


def explanation(rejected: DecisionRejected) -> str:
    """Return why a decision was refused, for people."""
    return shown(f"{reason_name(rejected.reason)} at {rejected.field!r}: {rejected.detail}")


def _advice(reason: str, code: grpc.StatusCode) -> Advice:
    if _PREFIX + reason not in RefusalReason.DESCRIPTOR.values_by_name:
        # A reason of a newer server.
        return Advice.RETRY if code in _CODES_TO_RETRY else Advice.FIX
    if reason in REASONS_TO_RETRY:
        return Advice.RETRY
    return Advice.STOP if reason in REASONS_TO_STOP else Advice.FIX


def _error_info(call: grpc.Call) -> ErrorInfo | None:
    """Read the reason out of the details of a status."""
    for name, value in call.trailing_metadata() or ():
        if name != _DETAILS or not isinstance(value, bytes):
            continue
        try:
            status = Status.FromString(value)
        except ValueError:  # DecodeError is one: the details are none of ours.
            return None
        for detail in status.details:
            info = ErrorInfo()
            if detail.Unpack(info) and info.domain == _DOMAIN:
                return info
    return None
