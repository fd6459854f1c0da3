"""Why a match could not be played to its end, and what trying again can mend."""

import grpc
from bridgemaster.v1.play_pb2 import MatchEnded
from bridgemaster.v1.refusal_pb2 import RefusalReason
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

_DOMAIN = "bridgemaster"
_PREFIX = "REFUSAL_REASON_"

_REASONS_TO_RETRY = frozenset(
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
        "KEYS_UNREADABLE",
    }
)
"""The reasons that PROTOCOL.md marks with *retry*."""

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


class PlayError(Exception):
    """The match could not be played to its end; the text says why."""


class RefusedError(PlayError):
    """The server refused, with a stable reason."""

    def __init__(self, reason: str, message: str, metadata: dict[str, str]) -> None:
        """Keep what the server said."""
        super().__init__(f"the server refused: {reason}: {message}")
        self.reason = reason
        """The reason, such as `TICKET_UNKNOWN`."""
        self.metadata = metadata
        """Further facts, such as the name of a limit."""


class StreamLostError(PlayError):
    """The stream ended before the match did; another one may carry on."""


class BrokenSeedCommitmentError(PlayError):
    """The match is over, and its seed is not the one that the server had committed to."""

    def __init__(self, commitment: str, ended: MatchEnded) -> None:
        """Keep what the server said."""
        super().__init__(
            "the server played another seed than it had committed to: the commitment was "
            f"{commitment}, the seed revealed is {ended.seed!r} with the salt {ended.seed_salt!r}"
        )
        self.result = ended.result
        """The result all the same."""


def error_of(failure: grpc.aio.AioRpcError) -> PlayError:
    """Sort a gRPC failure: `StreamLostError` when trying again may help, another error when not."""
    info = _error_info(failure)
    message = failure.details() or failure.code().name
    if info is None:
        if failure.code() in _CODES_TO_RETRY:
            return StreamLostError(f"{failure.code().name}: {message}")
        return PlayError(
            f"the call failed; is this a Bridgemaster server? {failure.code().name}: {message}"
        )
    if _PREFIX + info.reason in RefusalReason.DESCRIPTOR.values_by_name:
        retry = info.reason in _REASONS_TO_RETRY
    else:
        retry = failure.code() in _CODES_TO_RETRY
    if retry:
        return StreamLostError(f"{info.reason}: {message}")
    return RefusedError(info.reason, message, dict(info.metadata))


def reason_name(number: int) -> str:
    """Return the name of a reason in a message; a newer server may send one that has none here."""
    value = RefusalReason.DESCRIPTOR.values_by_number.get(number)
    return value.name.removeprefix(_PREFIX) if value is not None else f"reason {number}"


def _error_info(failure: grpc.aio.AioRpcError) -> ErrorInfo | None:
    """Read the reason that travels in the trailer `grpc-status-details-bin`."""
    try:
        status = rpc_status.from_call(failure)
    except ValueError:  # The details contradict the status: they are none of ours.
        return None
    for detail in status.details if status is not None else ():
        info = ErrorInfo()
        if detail.Unpack(info) and info.domain == _DOMAIN:
            return info
    return None
