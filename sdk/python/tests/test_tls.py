"""Trusted certificates."""

import ssl
import unittest
from unittest import mock

from bridgemaster._tls import system_roots


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
