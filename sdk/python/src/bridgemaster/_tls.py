"""TLS for `https://` addresses: trusted certificates and the client certificate."""

import os
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from ._errors import OptionsError

CA_VARIABLE = "BRIDGEMASTER_CA"
CLIENT_CERT_VARIABLE = "BRIDGEMASTER_CLIENT_CERT"
CLIENT_KEY_VARIABLE = "BRIDGEMASTER_CLIENT_KEY"


@dataclass(frozen=True)
class TlsFiles:
    """PEM files. A field that is None is read from its environment variable."""

    ca: str | os.PathLike[str] | None = None
    """Certificates to trust instead of the system's. None: `BRIDGEMASTER_CA`."""
    client_cert: str | os.PathLike[str] | None = None
    """The client certificate, for servers that require one. None: `BRIDGEMASTER_CLIENT_CERT`."""
    client_key: str | os.PathLike[str] | None = None
    """The private key of `client_cert`. None: `BRIDGEMASTER_CLIENT_KEY`."""

    def credentials(self) -> grpc.ChannelCredentials:
        """Read the files; raise `OptionsError` if one cannot be used."""
        ca = _read(self.ca, CA_VARIABLE)
        client_cert = _read(self.client_cert, CLIENT_CERT_VARIABLE)
        client_key = _read(self.client_key, CLIENT_KEY_VARIABLE)
        if (client_cert is None) != (client_key is None):
            raise OptionsError(
                "a client certificate requires its private key, and a private key its certificate"
            )
        return grpc.ssl_channel_credentials(
            root_certificates=system_roots() if ca is None else ca,
            private_key=client_key,
            certificate_chain=client_cert,
        )


_UNTRUSTED = (
    "the server's certificate is not signed by a trusted authority; pass the file to trust as "
    f"TlsFiles(ca=...) or {CA_VARIABLE}"
)
_CLIENT_CERTIFICATE = (
    "the server requires a client certificate that it trusts; pass yours as TlsFiles, or in"
    f" {CLIENT_CERT_VARIABLE} and {CLIENT_KEY_VARIABLE} (not in {CA_VARIABLE})"
)
_MISTAKES = (
    ("certificate has expired", "the server's certificate has expired and must be renewed; if it is"
     f" self-signed, pass the new file as TlsFiles(ca=...) or {CA_VARIABLE}"),
    ("certificate is not yet valid", "the server's certificate is not valid yet; check the clocks"
     " of both machines"),
    ("CERTIFICATE_VERIFY_FAILED", _UNTRUSTED),
    ("ostname", "the server's certificate is for a different name or address than the one you"
     f" connect to; use that name, or trust another certificate with {CA_VARIABLE}"),
    ("eer name", "the server's certificate is for a different name or address than the one you"
     f" connect to; use that name, or trust another certificate with {CA_VARIABLE}"),
    ("WRONG_VERSION_NUMBER", "the server does not use TLS at this address; begin the address with"
     f" http://, and {CA_VARIABLE} is not needed"),
    ("ALERT_CERTIFICATE_REQUIRED", _CLIENT_CERTIFICATE),
    ("ALERT_BAD_CERTIFICATE", _CLIENT_CERTIFICATE),
    ("ALERT_UNKNOWN_CA", _CLIENT_CERTIFICATE),
)  # fmt: skip
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_PROBE_TIMEOUT_S = 2.0
"""Maximum time of each step of the check whether a server requires TLS."""


def tls_mistake(failure: str) -> str | None:
    """Return the TLS mistake that made a connection fail, given the text of gRPC's error."""
    return next((mistake for sign, mistake in _MISTAKES if sign in failure), None)


def requires_tls(target: str) -> str | None:
    """Return the mistake if a server with an `http` address requires TLS.

    Such a server closes the connection, without an error that gRPC reports. But it answers the
    HTTP/2 preface with a TLS alert or, if it is a proxy, with an error page.
    """
    host, _, port = target.rpartition(":")
    try:
        address = (host.strip("[]"), int(port))
        with socket.create_connection(address, _PROBE_TIMEOUT_S) as connection:
            connection.sendall(_PREFACE)
            answer = connection.recv(512)
    except OSError:
        return None
    if not answer.startswith(b"\x15\x03") and b"HTTPS" not in answer:
        return None
    return (
        "the server requires TLS; begin the address with https://, and if its certificate is not "
        "signed by an authority that the system trusts, pass the file to trust as "
        f"TlsFiles(ca=...) or {CA_VARIABLE}"
    )


def system_roots() -> bytes | None:
    """Return the certificates that the system trusts, in PEM; None if it has no list.

    Without a list, gRPC uses its built-in one.
    """
    certificates = ssl.create_default_context().get_ca_certs(binary_form=True)
    if not certificates:
        return None
    return "".join(map(ssl.DER_cert_to_PEM_cert, certificates)).encode()


def _read(path: str | os.PathLike[str] | None, variable: str) -> bytes | None:
    path = path or os.environ.get(variable)
    if not path:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise OptionsError(f"{os.fspath(path)}: {error.strerror}") from error
