"""Compares the package with the reference of the protocol."""

import json
import re
import unittest
from pathlib import Path

import grpc

from bridgemaster import seed_commitment
from bridgemaster._errors import _advice
from bridgemaster.v1.refusal_pb2 import RefusalReason

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


@unittest.skipUnless(REFERENCE.is_dir(), "only in the repository")
class ProtocolPageTest(unittest.TestCase):
    """The pages of refusals and of the example match are the reference."""

    def test_the_advice_for_every_reason_is_the_one_of_the_table(self) -> None:
        page = (REFERENCE / "refusals.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `([A-Z_]+)` \|[^|\n]*\|[^|\n]*\| (\w+)", page, re.MULTILINE)
        table = {name: advice for name, advice in rows if advice in ("retry", "fix", "stop")}
        values = RefusalReason.DESCRIPTOR.values_by_name
        names = {name.removeprefix("REFUSAL_REASON_") for name in values}
        self.assertEqual(set(table), names - {"UNSPECIFIED"})
        for name, row in table.items():
            self.assertEqual(_advice(name, grpc.StatusCode.UNAVAILABLE).name.lower(), row, name)

    def test_the_commitment_is_that_of_the_seed_and_the_salt(self) -> None:
        page = (REFERENCE / "example-match.md").read_text(encoding="utf-8")
        seed, salt, commitment = (
            json.loads(re.search(rf'"{name}": ("[^"]*")', page)[1])
            for name in ("seed", "seedSalt", "seedCommitment")
        )
        self.assertEqual(seed_commitment(seed, salt), commitment)

    def test_a_salt_that_is_not_hex_has_no_commitment(self) -> None:
        self.assertIsNone(seed_commitment("seed", "0g"))
