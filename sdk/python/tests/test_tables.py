"""The tables that all SDKs share."""

import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import grpc
from google.protobuf.any_pb2 import Any
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from bridgemaster import Advice, OptionsError
from bridgemaster._address import parse_address
from bridgemaster._errors import PlayError, error_from_rpc

TABLES = Path(__file__).resolve().parents[2]


def rows(name: str) -> Iterator[list[str]]:
    """Yield the rows of a table."""
    for line in (TABLES / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


@unittest.skipUnless((TABLES / "addresses.tsv").exists(), "only in the repository")
class TablesTest(unittest.TestCase):
    """Addresses and statuses."""

    def test_addresses_are_parsed_as_specified(self) -> None:
        for address, expected in rows("addresses.tsv"):
            with self.subTest(address=address):
                try:
                    target, encrypted = parse_address(address)
                    parsed = f"{'https' if encrypted else 'http'} {target}"
                except OptionsError as error:
                    parsed = f"error {str(error).rsplit(': ', 1)[1]}"
                self.assertEqual(parsed, expected)

    def test_every_status_is_handled_as_the_table_says(self) -> None:
        codes = {code.value[0]: code for code in grpc.StatusCode}
        for number, reason, advice in rows("statuses.tsv"):
            with self.subTest(code=number, reason=reason):
                status = Status(code=int(number))
                if reason != "-":
                    detail = Any()
                    detail.Pack(ErrorInfo(reason=reason, domain="bridgemaster"))
                    status.details.append(detail)
                call = mock.Mock(spec=grpc.Call)
                call.code.return_value = codes[int(number)]
                call.details.return_value = "why"
                details = ("grpc-status-details-bin", status.SerializeToString())
                call.trailing_metadata.return_value = (details,)
                error = error_from_rpc(call)
                got = error.advice if isinstance(error, PlayError) else Advice.RETRY
                self.assertEqual(got.name.lower(), advice)
