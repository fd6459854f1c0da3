"""The command line, run as a user runs it."""

import os
import subprocess
import sys
import unittest


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with these Bridgemaster variables and no others."""
    kept = {name: value for name, value in os.environ.items() if "BRIDGEMASTER" not in name}
    return subprocess.run(
        [sys.executable, "-m", "bridgemaster_bot", *arguments],
        env=kept | variables,
        capture_output=True,
        text=True,
    )


class CommandLineTest(unittest.TestCase):
    """Mistakes get one line that says what to do."""

    def test_a_missing_ticket_is_named(self) -> None:
        ended = run("random")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("BRIDGEMASTER_TICKET", ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)

    def test_the_environment_is_read(self) -> None:
        ended = run(BRIDGEMASTER_SERVER="ftp://nowhere", BRIDGEMASTER_TICKET="ticket-7")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("ftp://nowhere", ended.stderr)
        self.assertNotIn("ticket-7", ended.stderr)

    def test_what_is_not_printable_is_escaped(self) -> None:
        ended = run("--server", "ftp://a\x1b[2J\u202e\nb", "--ticket", "t")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("\\x1b[2J\\u202e\\nb", ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1)

    def test_a_file_for_tls_that_is_not_there_is_named(self) -> None:
        ended = run("--server", "https://127.0.0.1:1", "--ticket", "t", "--ca", "no/such.pem")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("no/such.pem", ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)

    def test_a_client_certificate_without_its_key_is_refused(self) -> None:
        ended = run(
            BRIDGEMASTER_SERVER="https://127.0.0.1:1",
            BRIDGEMASTER_TICKET="t",
            BRIDGEMASTER_CLIENT_CERT=__file__,
        )
        self.assertEqual(ended.returncode, 1)
        self.assertIn("private key", ended.stderr)

    def test_an_unknown_bot_is_refused_with_the_known_ones(self) -> None:
        ended = run("clever")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("random", ended.stderr)

    def test_a_ticket_that_is_none_is_told_in_one_line(self) -> None:
        ended = run("random", BRIDGEMASTER_TICKET="tick\u00e9t")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("the ticket has characters", ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1)


class OwnProgramTest(unittest.TestCase):
    """A bot of one's own ends in one line too."""

    def test_a_bot_that_cannot_play_says_so_in_one_line(self) -> None:
        program = (
            "from bridgemaster_bot.program import run\n"
            "from bridgemaster_bot.random_bot import RandomBot\n"
            "run(RandomBot())\n"
        )
        kept = {name: value for name, value in os.environ.items() if "BRIDGEMASTER" not in name}
        ended = subprocess.run(
            [sys.executable, "-c", program], env=kept, capture_output=True, text=True
        )
        self.assertEqual(ended.returncode, 1)
        self.assertIn("BRIDGEMASTER_TICKET", ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1)
