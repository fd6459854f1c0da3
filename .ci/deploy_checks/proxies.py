"""deploy/nginx.conf and deploy/haproxy.cfg: Debian's proxies in front of running nodes."""

import csv
import re
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from language_tests.ports import free_port
from language_tests.processes import wait_until

from .matches import Caller
from .sources import DEPLOY, find, is_missing, must, run
from .web_seat import WebSeat

PAGE_HOST = "play.example.org"
"""The public name of the page, which the servers must know."""
ROOT = "/arena"
"""The path below which nginx with its default settings serves the page."""
HEALTH_S = 60.0
"""Timeout until HAProxy has noticed a change, in seconds."""
PLACES = "client_body", "proxy", "fastcgi", "uwsgi", "scgi"
"""nginx's folders for temporary files."""


@dataclass(frozen=True)
class Node:
    """A running server, with its local addresses."""

    process: "subprocess.Popen[str]"
    url: str
    metrics: str
    page: str


@dataclass(frozen=True)
class Proxy:
    """A running proxy."""

    bots: str
    """URL for bots."""
    page_port: int
    certificate: Path
    folder: Path


def check(program: Path, nodes: Mapping[str, Node], key: str, folder: Path) -> None:
    """Play a match through each proxy, and let HAProxy notice that a node drains."""
    if is_missing("nginx") or is_missing("haproxy"):
        return
    node = next(iter(nodes.values()))
    with default_nginx(folder, node.page) as port:
        caller = Caller(program, node.url, key)
        play(caller, lambda ticket: WebSeat(port, None, PAGE_HOST, key, ticket, ROOT))
    with nginx(folder, nodes) as proxy:
        play_through(program, proxy, key)
    with haproxy(folder, nodes) as proxy, ExitStack() as stack:
        wait_until(lambda: set(health(proxy).values()) == {("UP", "L7OK")}, HEALTH_S)
        name, node = next(iter(nodes.items()))
        caller = Caller(program, node.url, key)
        # A player who never decides, so that the drain lasts.
        match, tickets = caller.create_match()
        for ticket in tickets:
            caller.start_bot(stack, "human", ticket)
        wait_until(lambda: caller.is_running(match))
        node.process.terminate()
        wait_until(lambda: health(proxy)[name][0] == "DOWN", HEALTH_S)
        status = health(proxy)[name][1]
        must(
            status.startswith("L7"),
            f"HAProxy noticed the end of a node, but not its drain: {status}",
        )
        play_through(program, proxy, key)


def play_through(program: Path, proxy: "Proxy", key: str) -> None:
    """Play a match through a proxy."""
    caller = Caller(program, proxy.bots, key, str(proxy.certificate))
    tls = ssl.create_default_context(cafile=str(proxy.certificate))
    play(caller, lambda ticket: WebSeat(proxy.page_port, tls, PAGE_HOST, key, ticket))


def play(caller: Caller, web_seat: Callable[[str], WebSeat]) -> None:
    """Play a match: one seat over gRPC, the other over gRPC-Web."""
    with ExitStack() as stack:
        match, tickets = caller.create_match()
        caller.start_bot(stack, "random", tickets[0])
        must(web_seat(tickets[1]).play() > 0, "the seat over gRPC-Web made no decision")
        must(caller.faults(match) == 0, "a seat has a fault")


@contextmanager
def default_nginx(folder: Path, page: str) -> Iterator[int]:
    """Start nginx with default settings for a page below a path, and yield its port.

    By default, nginx buffers responses and replaces the host.
    """
    port = free_port()
    local = f"server {{ listen 127.0.0.1:{port};\n"
    local += f"location {ROOT}/ {{ proxy_pass http://{page}/; }} }}\n"
    log = folder / "defaults.log"
    with log.open("w") as output:
        command = nginx_command(folder, "defaults.conf", local)
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        wait_until(lambda: process.poll() is not None or answers(port))
        must(process.poll() is None, f"nginx with defaults: {log.read_text()}")
        yield port
    finally:
        process.terminate()
        process.wait()


@contextmanager
def nginx(folder: Path, nodes: Mapping[str, Node]) -> Iterator[Proxy]:
    """Start nginx with the snippet, within a config like that of Debian's package."""

    def command(local: str) -> list[str | Path]:
        return nginx_command(folder, "nginx.conf", local)

    with running("nginx.conf", folder, nodes, command) as proxy:
        yield proxy


def nginx_command(folder: Path, name: str, local: str) -> list[str | Path]:
    """Write a config for nginx, and return the command that starts it."""
    places = "".join(f"{place}_temp_path {folder}/{place};\n" for place in PLACES)
    main = f"daemon off; pid {folder}/nginx.pid; error_log stderr;\n"
    main += f"events {{}}\nhttp {{\naccess_log off;\n{places}{local}}}\n"
    config = folder / name
    config.write_text(main)
    return [find("nginx"), "-e", "stderr", "-c", config]


@contextmanager
def haproxy(folder: Path, nodes: Mapping[str, Node]) -> Iterator[Proxy]:
    """Start HAProxy with the config file, and a socket for its state."""

    def command(local: str) -> list[str | Path]:
        config = folder / "haproxy.cfg"
        state = f"global\n    stats socket {folder}/stats\n"
        # Few connections, for a machine that limits the open files of root.
        few = re.sub(r"maxconn \d+", "maxconn 100", local)
        config.write_text(few.replace("global\n", state))
        return [find("haproxy"), "-db", "-f", config]

    with running("haproxy.cfg", folder, nodes, command) as proxy:
        yield proxy


def health(proxy: Proxy) -> dict[str, tuple[str, str]]:
    """Return the state of each node and its last check, as HAProxy reports them."""
    with socket.socket(socket.AF_UNIX) as stats:
        stats.connect(str(proxy.folder / "stats"))
        stats.sendall(b"show stat\n")
        rows = csv.DictReader(stats.makefile().read().lstrip("# ").splitlines())
    return {
        row["svname"]: (row["status"], row["check_status"].lstrip("* "))
        for row in rows
        if row["pxname"] == "bots" and row["svname"] not in ("FRONTEND", "BACKEND")
    }


@contextmanager
def running(
    name: str,
    folder: Path,
    nodes: Mapping[str, Node],
    command: Callable[[str], list[str | Path]],
) -> Iterator[Proxy]:
    """Start a proxy by its config file with local addresses, and yield it once it listens."""
    certificate, key, both = (folder / f"bridgemaster.{end}" for end in ("crt", "key", "pem"))
    make_certificate(certificate, key)
    both.write_text(certificate.read_text() + key.read_text())
    text = (DEPLOY / name).read_text()
    ports = {"50051": free_port(), "443": free_port()}
    for public, port in ports.items():
        # `listen 443 ssl`, `bind :443 ssl`
        changed = re.sub(rf"\b(listen|bind) :?{public} ", rf"\1 127.0.0.1:{port} ", text)
        must(changed != text, f"{name}: does not listen on {public}")
        text = changed
    for node, local in nodes.items():
        for address, own in (
            (f"{node}:50051", local.url.removeprefix("http://")),
            (f"{node}:8080", local.page),
        ):
            must(address in text, f"{name}: does not use {address}")
            text = text.replace(address, own)
    text = re.sub(r"/etc/(nginx|haproxy)/", f"{folder}/", text)
    log = folder / f"{name}.log"
    with log.open("w") as output:
        process = subprocess.Popen(command(text), stdout=output, stderr=output)
    try:
        wait_until(lambda: process.poll() is not None or all(map(answers, ports.values())))
        must(process.poll() is None, f"{name}: {log.read_text()}")
        url = f"https://127.0.0.1:{ports['50051']}"
        yield Proxy(url, ports["443"], certificate, folder)
    finally:
        process.terminate()
        process.wait()


def answers(port: int) -> bool:
    """Return whether something listens on a port."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def make_certificate(certificate: Path, key: Path) -> None:
    """Create a certificate for this machine."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]
    command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-addext", "basicConstraints=critical,CA:FALSE"]
    run(*command, "-keyout", key, "-out", certificate)
