"""Trusted certificates, and mistakes."""

import contextlib
import socket
import ssl
import threading
import unittest
from concurrent import futures
from pathlib import Path
from unittest import mock

import grpc

import bridgemaster
from bridgemaster import Options, TlsError, TlsFiles
from bridgemaster._tls import system_roots

CERTIFICATES = Path(__file__).resolve().parents[2] / "tls"
"""Test certificates of all SDKs."""


class SystemRootsTest(unittest.TestCase):
    """Without a CA file, the certificates of the system are trusted."""

    def test_the_certificates_of_the_system_are_used(self) -> None:
        certificates = ssl.create_default_context().get_ca_certs(binary_form=True)
        if not certificates:
            self.skipTest("this system has no list of certificates")
        self.assertEqual(system_roots().count(b"BEGIN CERTIFICATE"), len(certificates))

    def test_an_empty_list_leaves_those_of_grpc(self) -> None:
        with mock.patch.object(ssl.SSLContext, "get_ca_certs", return_value=[]):
            self.assertIsNone(system_roots())


class MistakesTest(unittest.TestCase):
    """TLS mistakes are named, and not retried."""

    def test_a_server_with_tls_is_recognized_by_its_answer_without_tls(self) -> None:
        for answer in (b"\x15\x03\x03\x00\x02\x02\x32", b"HTTP/1.1 400 use HTTPS"):
            with socket.create_server(("127.0.0.1", 0)) as server:

                def serve(server: socket.socket = server, answer: bytes = answer) -> None:
                    with contextlib.suppress(OSError):
                        while True:
                            connection, _ = server.accept()
                            with connection:
                                connection.recv(64)
                                connection.sendall(answer)

                threading.Thread(target=serve, daemon=True).start()
                port = server.getsockname()[1]
                options = Options(server=f"http://127.0.0.1:{port}", ticket="t")
                with self.assertRaisesRegex(TlsError, "BRIDGEMASTER_CA"):
                    bridgemaster.play(lambda _: 0, options)
                server.shutdown(socket.SHUT_RDWR)

    @unittest.skipUnless(CERTIFICATES.is_dir(), "only in the repository")
    def test_certificates_that_are_not_trusted_are_named(self) -> None:
        for certificate, expected in (
            ("valid", "not signed by a trusted authority"),
            ("expired", "has expired"),
        ):
            server = grpc.server(futures.ThreadPoolExecutor(1))
            key, chain = (CERTIFICATES / f"{certificate}.{end}" for end in ("key", "pem"))
            credentials = grpc.ssl_server_credentials([(key.read_bytes(), chain.read_bytes())])
            port = server.add_secure_port("127.0.0.1:0", credentials)
            server.start()
            self.addCleanup(server.stop, None)
            tls = TlsFiles(ca=CERTIFICATES / "ca.pem")
            options = Options(server=f"https://127.0.0.1:{port}", ticket="t", tls=tls)
            with self.assertRaisesRegex(TlsError, f"{expected}.*BRIDGEMASTER_CA"):
                bridgemaster.play(lambda _: 0, options)

    def test_a_server_without_tls_is_named(self) -> None:
        server = grpc.server(futures.ThreadPoolExecutor(1))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        self.addCleanup(server.stop, None)
        options = Options(server=f"https://127.0.0.1:{port}", ticket="t")
        with self.assertRaisesRegex(TlsError, "does not use TLS"):
            bridgemaster.play(lambda _: 0, options)
