"""Errors of a match, and advice on how to handle them."""

from enum import Enum
from typing import cast

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from bridgemaster.v1.match_pb2 import MatchResult
from bridgemaster.v1.play_pb2 import DecisionRejected, MatchEnded
from bridgemaster.v1.refusal_pb2 import RefusalAdvice, RefusalReason
from bridgemaster.v1.refusal_pb2 import advice as _advice_option

from ._terminal import escape

_DOMAIN = "bridgemaster"
_PREFIX = "REFUSAL_REASON_"
_DETAILS = "grpc-status-details-bin"
"""Name of the trailer that carries the details of a status."""

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
"""Codes of temporary failures, for a reason that only newer servers use."""


class Advice(Enum):
    """Advice on how to handle an error."""

    RETRY = "try again later"
    """Connect again after a pause."""
    FIX = "fix the bot or its options"
    """A retry fails in the same way: change the bot or its options."""
    STOP = "nothing is left to play"
    """Nothing is left to play on this seat."""


_ADVICE = {
    RefusalAdvice.REFUSAL_ADVICE_RETRY: Advice.RETRY,
    RefusalAdvice.REFUSAL_ADVICE_FIX: Advice.FIX,
    RefusalAdvice.REFUSAL_ADVICE_STOP: Advice.STOP,
}
"""The option `advice` of a reason in refusal.proto."""


class PlayError(Exception):
    """An error that ended a match, or an attendance, early. Its text is one line."""

    advice: Advice = Advice.FIX
    """The recommended reaction to the error."""
    reason: str | None = None
    """The reason of the server's refusal, such as `TICKET_UNKNOWN`, from the table of refusals;
    None if the server did not refuse."""

    def __init__(self, message: str) -> None:
        """Create the error; characters of `message` that are not printable are escaped."""
        super().__init__(escape(message))


class OptionsError(PlayError, ValueError):
    """The options, or the environment variables that replace them, are not valid."""


class RefusedError(PlayError):
    """The server refused, and a retry does not help."""

    reason: str

    def __init__(self, reason: str, message: str, metadata: dict[str, str], advice: Advice) -> None:
        """Create the error from the server's refusal."""
        super().__init__(f"the server refused: {reason}: {message} ({advice.value})")
        self.reason = reason
        self.metadata = metadata
        """Details such as the scope that a key lacks, by name."""
        self.advice = advice


class ServerLostError(PlayError):
    """No server answered in time, or a lost stream could not be resumed in time.

    `reason` is the reason of the last refusal, such as `SERVER_STOPPING`, if there was one.
    """

    advice = Advice.RETRY

    def __init__(self, message: str, reason: str | None) -> None:
        """Create the error; `reason` is the reason of the last refusal."""
        super().__init__(message)
        self.reason = reason


class TlsError(PlayError):
    """The connection failed because of a TLS mistake, such as an untrusted certificate."""


class ProtocolError(PlayError):
    """The peer is not a Bridgemaster server, or it breaks the protocol."""


class BrokenSeedCommitmentError(PlayError):
    """The match has ended, and its seed does not match the server's commitment."""

    advice = Advice.STOP

    def __init__(self, commitment: str, ended: MatchEnded) -> None:
        """Create the error from the commitment and the server's last message."""
        super().__init__(
            "the revealed seed does not match the commitment: commitment "
            f"{commitment!r}, seed {ended.seed!r}, salt {ended.seed_salt!r}"
        )
        self.result: MatchResult = ended.result
        """The result that the server reported."""


class NoLegalDecisionError(PlayError):
    """The bot answered one request with refused decisions too often."""

    def __init__(self, times: int, last: DecisionRejected) -> None:
        """Create the error from the last refusal."""
        super().__init__(
            f"the server refused {times} decisions for request {last.request_id}; the last: "
            f"{rejection_text(last)}"
        )
        self.last = last
        """The refusal of the last decision."""
        self.reason = reason_name(last.reason)


class StreamLostError(Exception):
    """A stream ended before the match did; a retry might help."""

    def __init__(self, message: str, reason: str | None = None) -> None:
        """Create the error, with the reason of the refusal, if any."""
        super().__init__(escape(message))
        self.reason = reason


def error_from_rpc(failure: grpc.RpcError) -> StreamLostError | PlayError:
    """Classify a gRPC failure: `StreamLostError` if a retry might help, otherwise another error."""
    # grpcio raises the call itself as the error; its type stubs do not declare this.
    call = cast("grpc.Call", failure)
    info = _error_info(call)
    code = call.code()
    message = call.details() or code.name
    if info is None:
        # The status comes from the transport or from an intermediary, such as a proxy.
        text = f"{code.name}: {message}"
        if code not in _CODES_TO_RETRY:
            text += " (not an answer of a Bridgemaster server; check the address and proxies)"
        return StreamLostError(text)
    advice = _advice(info.reason, code)
    if advice is Advice.RETRY:
        return StreamLostError(f"{info.reason}: {message}", info.reason)
    return RefusedError(info.reason, message, dict(info.metadata), advice)


def reason_name(number: int) -> str:
    """Return the name of a reason, or the number of a reason that only newer servers use."""
    value = RefusalReason.DESCRIPTOR.values_by_number.get(number)
    return value.name.removeprefix(_PREFIX) if value is not None else f"reason {number}"


def rejection_text(rejected: DecisionRejected) -> str:
    """Return the reason for a refused decision, as one line for people."""
    return escape(f"{reason_name(rejected.reason)} at {rejected.field!r}: {rejected.detail}")


def _advice(reason: str, code: grpc.StatusCode) -> Advice:
    value = RefusalReason.DESCRIPTOR.values_by_name.get(_PREFIX + reason)
    if value is None:
        # Only newer servers use this reason.
        return Advice.RETRY if code in _CODES_TO_RETRY else Advice.FIX
    return _ADVICE.get(value.GetOptions().Extensions[_advice_option], Advice.FIX)


def _error_info(call: grpc.Call) -> ErrorInfo | None:
    """Read the reason from the details of a status."""
    for name, value in call.trailing_metadata() or ():
        if name != _DETAILS or not isinstance(value, bytes):
            continue
        try:
            status = Status.FromString(value)
        except ValueError:  # Includes DecodeError: the details come from another kind of server.
            return None
        for detail in status.details:
            info = ErrorInfo()
            if detail.Unpack(info) and info.domain == _DOMAIN:
                return info
    return None
