"""Whom a bot trusts when the address of its server is an https:// one, and what it shows."""

import os
from dataclasses import dataclass
from pathlib import Path

import grpc

from .errors import PlayError

CA_VARIABLE = "BRIDGEMASTER_CA"
CLIENT_CERT_VARIABLE = "BRIDGEMASTER_CLIENT_CERT"
CLIENT_KEY_VARIABLE = "BRIDGEMASTER_CLIENT_KEY"


@dataclass(frozen=True)
class TlsFiles:
    """PEM files. What is None is taken from the environment variable of its name."""

    ca: str | None = None
    """Certificates to trust, instead of those that gRPC brings along."""
    client_cert: str | None = None
    """The bot's own certificate, for servers that ask for one."""
    client_key: str | None = None
    """The private key of `client_cert`."""

    def credentials(self) -> grpc.ChannelCredentials:
        """Read the files; raise `PlayError` when one cannot be used."""
        client_cert = _read(self.client_cert, CLIENT_CERT_VARIABLE)
        client_key = _read(self.client_key, CLIENT_KEY_VARIABLE)
        if (client_cert is None) != (client_key is None):
            raise PlayError("a client certificate and its private key are given together")
        return grpc.ssl_channel_credentials(
            root_certificates=_read(self.ca, CA_VARIABLE),
            private_key=client_key,
            certificate_chain=client_cert,
        )


def _read(path: str | None, variable: str) -> bytes | None:
    path = path or os.environ.get(variable)
    if not path:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise PlayError(f"{path}: {error.strerror}") from error
