"""A bot whose connection is interrupted by an intermediary, which answers in the server's place."""

import socket
import tempfile
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .catalogue import Language
from .nodes import check_end, make_match
from .processes import FailedError, bots, decisions, server, timed, wait_until
from .sample import command_of

HTTP_STATUSES = (401, 403, 404, 502, 503)
GRPC_CODES = (3, 5, 7, 9, 12, 16)
"""Codes that servers also use for refusals, but only with a reason."""
DECISIONS_BEFORE = 4
"""Number of decisions before the interruption, in the middle of the match."""
DECISION_MS = "100"
"""Time of each decision of the opponent, so that the match lasts longer than this."""

CONNECT = b"CONNECT "
PREFACE_BYTES = 24
HEADERS, SETTINGS = 1, 4
"""Types of HTTP/2 frames."""
ENDS = 0x05
"""Flags of a HEADERS frame that is the whole answer: END_STREAM and END_HEADERS."""


def test(language: Language, program: Path) -> None:
    """Test the sample bot of a language."""
    timed(f"{language.name}: survives the answers of an intermediary", play, language, program)
    timed(f"{language.name}: plays through a proxy", play_proxied, language, program)


def play_proxied(language: Language, program: Path) -> None:
    """Play a match at a server that only the proxy of the bot can reach."""
    with (
        tempfile.TemporaryDirectory() as data,
        server(program, data, "127.0.0.1:0") as (_, url),
        intermediary(url.removeprefix("http://")) as proxy,
        bots() as start,
    ):
        match, (first, second) = make_match(program, url)
        # This name does not exist.
        address = "http://bridgemaster.invalid:7"
        variables = {"BRIDGEMASTER_TICKET": first, "BRIDGEMASTER_PROXY": proxy.url}
        bot = start(command_of(language, program), address, **variables)
        other = start([str(program), "bot", "random"], url, BRIDGEMASTER_TICKET=second)
        check_end(program, url, match, [bot, other])


def play(language: Language, program: Path) -> None:
    """Interrupt a bot in the middle of its match; it must play the match to the end."""
    with (
        tempfile.TemporaryDirectory() as data,
        server(program, data, "127.0.0.1:0") as (_, url),
        intermediary(url.removeprefix("http://")) as proxy,
        bots() as start,
    ):
        match, (first, second) = make_match(program, url)
        # With a queue, a lost connection is retried for 10 minutes.
        variables = {"BRIDGEMASTER_TICKET": first, "BRIDGEMASTER_QUEUE": "none"}
        bot = start(command_of(language, program), proxy.url, **variables)
        opponent = [str(program), "bot", "search", "--time-ms", DECISION_MS]
        other = start(opponent, url, BRIDGEMASTER_TICKET=second)
        wait_until(lambda: decisions(program, url, match) >= DECISIONS_BEFORE)
        proxy.interrupt([*map(http_answer, HTTP_STATUSES), *map(grpc_answer, GRPC_CODES)])
        check_end(program, url, match, [bot, other])
        if proxy.answers:
            raise FailedError(f"{len(proxy.answers)} answers were not used")


def http_answer(status: int) -> bytes:
    """Return the header block of an answer without gRPC: `:status`, by its static name."""
    return b"\x08\x03%d" % status


def grpc_answer(code: int) -> bytes:
    """Return the header block of an answer with only a gRPC status."""
    name, value, kind = b"grpc-status", str(code).encode(), b"application/grpc"
    content_type = b"\x0f\x10" + bytes([len(kind)]) + kind
    status = b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value
    return b"\x88" + content_type + status


class Intermediary:
    """A proxy that forwards connections, or answers their calls."""

    def __init__(self, listener: socket.socket, target: str) -> None:
        """Start without answers: every connection is forwarded."""
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.answers: deque[bytes] = deque()
        self._listener = listener
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._passed: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def interrupt(self, answers: list[bytes]) -> None:
        """End all connections, and give each of the next calls an answer."""
        self.answers.extend(answers)
        for connection in self._passed:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                serve = self._answer if self.answers else self._pass_on
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    def _pass_on(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, socket.create_connection(self._target) as served:
            self._passed += [connection, served]
            if connection.recv(len(CONNECT), socket.MSG_PEEK) == CONNECT:
                # All names lead to the same server.
                with connection.makefile("rb", buffering=0) as request:
                    while request.readline().strip():
                        pass
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=copy, args=(served, connection), daemon=True)
            back.start()
            copy(connection, served)
            back.join()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as received:
            received.read(PREFACE_BYTES)
            connection.sendall(frame(SETTINGS, 0, 0, b""))
            # A client may use the connection for further calls.
            while len(head := received.read(9)) == 9:
                kind, stream = head[3], int.from_bytes(head[5:9], "big")
                received.read(int.from_bytes(head[:3], "big"))
                if kind == HEADERS:
                    if not self.answers:
                        return
                    connection.sendall(frame(HEADERS, ENDS, stream, self.answers.popleft()))


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return an HTTP/2 frame."""
    return (
        len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload
    )


def copy(source: socket.socket, sink: socket.socket) -> None:
    """Copy bytes until one of the connections ends, and then end both."""
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for connection in (source, sink):
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def intermediary(target: str) -> Iterator[Intermediary]:
    """Yield an intermediary in front of a server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Intermediary(listener, target)
