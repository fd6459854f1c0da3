"""Addresses of servers, as sdk/addresses.tsv specifies them for all SDKs."""

import re

from ._errors import OptionsError

DEFAULT_SERVER = "http://127.0.0.1:50051"

_DEFAULT_PORTS = {"http": "80", "https": "443"}
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[(?=[^\]]*:[^\]]*:)[0-9A-Fa-f:.]+\]")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_MAX_PORT = 65535


def parse_address(address: str) -> tuple[str, bool]:
    """Return the target that gRPC dials for an address, and whether it uses TLS."""
    address = address.strip()
    scheme, separator, rest = address.partition("://")
    if not separator:
        scheme, rest = "http", address
    scheme = scheme.lower()
    if address.startswith(("unix:", "unix-abstract:")):
        raise _error(address, "Unix sockets are not supported")
    if scheme not in _DEFAULT_PORTS:
        raise _error(address, "the scheme is not http or https")
    rest = rest.removesuffix("/")
    if re.search("[/?#]", rest):
        raise _error(address, "a path is not allowed")
    if not rest.startswith("[") and rest.count(":") > 1:
        raise _error(address, "an IPv6 address needs brackets")
    # The last colon outside of brackets separates the port.
    found = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(:(.*))?", rest)
    if found is None or not _HOST.fullmatch(found[1]):
        raise _error(address, "the host is not valid")
    port = found[3] if found[2] or not separator else _DEFAULT_PORTS[scheme]
    if not port:
        raise _error(address, "the port is missing")
    if not _PORT.fullmatch(port) or int(port) > _MAX_PORT:
        raise _error(address, f"the port is out of range (1 to {_MAX_PORT})")
    return f"{found[1]}:{port}", scheme == "https"


def parse_proxy(address: str) -> str:
    """Return HOST:PORT of a proxy."""
    try:
        target, is_encrypted = parse_address(address)
    except OptionsError as error:
        raise OptionsError(str(error).replace("server:", "proxy:", 1)) from None
    if is_encrypted:
        raise OptionsError(f"proxy: {address!r} is not supported: the scheme must be http")
    return target


def _error(address: str, problem: str) -> OptionsError:
    return OptionsError(
        f"server: {address!r} is not an address such as {DEFAULT_SERVER}: {problem}"
    )
