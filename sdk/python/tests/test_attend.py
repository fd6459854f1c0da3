"""Options of an attendance, and what may attend."""

import unittest
from unittest import mock

import bridgemaster
from bridgemaster import Options, OptionsError
from bridgemaster._options import attends, queueing


class Passer(bridgemaster.Bot):
    """Takes the first legal decision."""

    name = "passer"
    version = "7"

    def decide(self, request: bridgemaster.Request) -> bridgemaster.Choice:
        """Answer a request."""
        return 0


class AttendTest(unittest.TestCase):
    """Nothing here needs a server."""

    def setUp(self) -> None:
        """Take the developer's own environment away."""
        clean = mock.patch.dict("os.environ", clear=True)
        clean.start()
        self.addCleanup(clean.stop)

    def test_a_queue_is_attended_where_there_is_no_ticket(self) -> None:
        self.assertFalse(attends(Options()))
        self.assertTrue(attends(Options(queue="cup")))
        self.assertFalse(attends(Options(queue="cup", ticket="t")))
        with mock.patch.dict("os.environ", {"BRIDGEMASTER_QUEUE": "cup"}):
            self.assertTrue(attends(Options()))
            self.assertFalse(attends(Options(ticket="t")))

    def test_queue_and_slots_come_from_the_environment_or_the_options(self) -> None:
        variables = {"BRIDGEMASTER_QUEUE": "cup", "BRIDGEMASTER_SLOTS": "4"}
        with mock.patch.dict("os.environ", variables):
            taken = queueing(Options(), Passer)
            self.assertEqual((taken.queue, taken.slots), ("cup", 4))
            self.assertEqual((taken.name, taken.version), ("passer", "7"))
            given = queueing(Options(queue="league", slots=2), Passer)
            self.assertEqual((given.queue, given.slots), ("league", 2))

    def test_what_cannot_be_used_is_refused_before_anything_is_sent(self) -> None:
        with self.assertRaisesRegex(OptionsError, "no queue"):
            bridgemaster.attend(Passer)
        for slots in (-1, 65):
            with self.assertRaisesRegex(OptionsError, "1 to 64"):
                bridgemaster.attend(Passer, Options(queue="cup", slots=slots))
        with self.assertRaisesRegex(OptionsError, "give the class itself"):
            bridgemaster.attend(Passer(), Options(queue="cup", slots=2))
        with self.assertRaisesRegex(TypeError, "a class of something else"):
            bridgemaster.attend(int, Options(queue="cup"))  # type: ignore[type-var]

    def test_a_queue_that_nobody_opens_is_given_up(self) -> None:
        options = Options(server="http://127.0.0.1:1", queue="cup", connect_for_s=0.2)
        with self.assertRaisesRegex(bridgemaster.ServerLostError, "could not be attended"):
            bridgemaster.attend(Passer, options)
