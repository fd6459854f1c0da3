"""A bot run as a program."""

import os
import signal
import subprocess
import sys
import unittest

PROGRAM = """
import bridgemaster
bridgemaster.run(lambda request: 0)
"""


def run(*python: str, program: str = PROGRAM, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a bot with no other Bridgemaster variables than these."""
    inherited = {name: value for name, value in os.environ.items() if "BRIDGEMASTER" not in name}
    return subprocess.run(
        [sys.executable, *python, "-c", program],
        env=inherited | variables,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


class RunTest(unittest.TestCase):
    """Errors of the user: one line that says what to do, and exit code 1."""

    def assert_error(self, expected: str, **variables: str) -> None:
        ended = run(**variables)
        self.assertEqual(ended.returncode, 1, ended)
        self.assertIn(expected, ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        self.assertNotIn("ticket-7", ended.stderr)

    def test_a_missing_ticket_is_named(self) -> None:
        self.assert_error("BRIDGEMASTER_TICKET")

    def test_an_invalid_ticket_is_refused(self) -> None:
        self.assert_error("the ticket is not valid", BRIDGEMASTER_TICKET="tick\u00e9t")

    def test_an_invalid_key_is_refused(self) -> None:
        self.assert_error(
            "the API key is not valid", BRIDGEMASTER_TICKET="ticket-7", BRIDGEMASTER_KEY="a b"
        )

    def test_an_invalid_address_is_named(self) -> None:
        self.assert_error(
            "ftp://nowhere", BRIDGEMASTER_SERVER="ftp://nowhere", BRIDGEMASTER_TICKET="ticket-7"
        )

    def test_characters_that_are_not_printable_are_escaped(self) -> None:
        self.assert_error(
            "\\x1b[2J\\u202e",
            BRIDGEMASTER_SERVER="ftp://a\x1b[2J\u202eb",
            BRIDGEMASTER_TICKET="ticket-7",
        )

    def test_a_missing_tls_file_is_named(self) -> None:
        self.assert_error(
            "no/such.pem",
            BRIDGEMASTER_SERVER="https://127.0.0.1:1",
            BRIDGEMASTER_TICKET="ticket-7",
            BRIDGEMASTER_CA="no/such.pem",
        )

    def test_a_client_certificate_without_its_key_is_refused(self) -> None:
        self.assert_error(
            "private key",
            BRIDGEMASTER_SERVER="https://127.0.0.1:1",
            BRIDGEMASTER_TICKET="ticket-7",
            BRIDGEMASTER_CLIENT_CERT=__file__,
        )

    def test_a_name_that_the_server_would_refuse_is_refused(self) -> None:
        for name in ("", "x" * 65, "two\nlines"):
            program = (
                "import bridgemaster\n"
                f"options = bridgemaster.Options(name={name!r})\n"
                "bridgemaster.run(lambda request: 0, options)\n"
            )
            ended = run(program=program, BRIDGEMASTER_TICKET="ticket-7")
            self.assertEqual(ended.returncode, 1, ended)
            self.assertIn("1 to 64 printable characters", ended.stderr)

    def test_ctrl_c_ends_the_program_in_one_line(self) -> None:
        for bot in ("lambda request: 0", "decide"):
            program = (
                # Background jobs of a shell inherit an ignored SIGINT.
                "import signal\n"
                "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                "import bridgemaster, logging\n"
                "async def decide(request): ...\n"
                "logging.basicConfig(level=logging.DEBUG)\n"
                f"bridgemaster.run({bot})\n"
            )
            variables = {"BRIDGEMASTER_SERVER": "127.0.0.1:1", "BRIDGEMASTER_TICKET": "ticket-7"}
            with subprocess.Popen(
                [sys.executable, "-c", program],
                env=os.environ | variables,
                stderr=subprocess.PIPE,
                text=True,
            ) as process:
                # Interrupt it while it is connecting.
                while "retrying in" not in process.stderr.readline():
                    self.assertIsNone(process.poll())
                process.send_signal(signal.SIGINT)
                output = process.stderr.read()
            self.assertEqual(process.returncode, 130, output)
            self.assertTrue(output.endswith("python-bot: interrupted\n"), output)

    def test_at_a_prompt_the_error_is_raised(self) -> None:
        program = "import sys\nsys.ps1 = '> '\n" + PROGRAM
        ended = run(program=program)
        self.assertIn("Traceback", ended.stderr)
        self.assertIn("bridgemaster.OptionsError: no ticket", ended.stderr)

    def test_an_exception_of_the_bot_has_a_traceback(self) -> None:
        ended = run(program="def decide(request): ...\nimport bridgemaster\nbridgemaster.run(7)\n")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("Traceback", ended.stderr)

    def test_tickets_and_keys_are_not_in_the_repr_of_options(self) -> None:
        program = (
            "from bridgemaster import Options\n"
            "print(Options(ticket='ticket-7', key='bmk_k_secret'))\n"
        )
        output = run(program=program).stdout
        self.assertIn("Options(", output)
        self.assertNotIn("ticket-7", output)
        self.assertNotIn("secret", output)
