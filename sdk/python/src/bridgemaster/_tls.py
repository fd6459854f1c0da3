"""TLS for `https://` addresses: trusted certificates and the client certificate."""

import os
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
