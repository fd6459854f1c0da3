"""What the package says beside what PROTOCOL.md says."""

import json
import re
import unittest
from pathlib import Path

from bridgemaster import seed_commitment
from bridgemaster._errors import REASONS_TO_RETRY, REASONS_TO_STOP
from bridgemaster.v1.refusal_pb2 import RefusalReason

PAGE = Path(__file__).parents[3] / "proto" / "PROTOCOL.md"


@unittest.skipUnless(PAGE.is_file(), "only in the repository")
class ProtocolPageTest(unittest.TestCase):
    """The page is the reference."""

    def test_what_to_do_about_every_reason_is_what_the_table_says(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        rows = re.findall(r"^\| `([A-Z_]+)` \|[^|\n]*\|[^|\n]*\| (\w+)", page, re.MULTILINE)
        table = {name: do for name, do in rows if do in ("retry", "fix", "stop")}
        known = RefusalReason.DESCRIPTOR.values_by_name
        names = {name.removeprefix("REFUSAL_REASON_") for name in known}
        self.assertEqual(set(table), names - {"UNSPECIFIED"})
        self.assertEqual(REASONS_TO_RETRY, {name for name, do in table.items() if do == "retry"})
        self.assertEqual(REASONS_TO_STOP, {name for name, do in table.items() if do == "stop"})

    def test_the_commitment_is_that_of_the_seed_and_the_salt(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        seed, salt, commitment = (
            json.loads(re.search(rf'"{name}": ("[^"]*")', page)[1])
            for name in ("seed", "seedSalt", "seedCommitment")
        )
        self.assertEqual(seed_commitment(seed, salt), commitment)

    def test_a_salt_that_is_no_hex_commits_to_nothing(self) -> None:
        self.assertIsNone(seed_commitment("seed", "0g"))
