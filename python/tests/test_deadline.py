# SPDX-License-Identifier: Apache-2.0
"""The deadline counts this process's own time: asleep by the clock, computing less what others took."""

import os
import subprocess
import time
import unittest
from unittest import mock

from stitchcuda_python import deadline as module
from stitchcuda_python.deadline import deadline
from stitchcuda_python.failures import Failure

SECONDS = 0.3


def end_of(work) -> float:
    """Seconds by the clock until the deadline ends `work`."""
    start = time.monotonic()
    try:
        with deadline(SECONDS, "Working", __file__):
            work()
    except Failure:
        return time.monotonic() - start
    raise AssertionError("the deadline did not end it")


def burn() -> None:
    while True:
        pass


class Deadline(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(os.sched_setaffinity, 0, os.sched_getaffinity(0))
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        for _ in range(3):  # children share our one processor
            busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
            self.addCleanup(busy.wait)
            self.addCleanup(busy.kill)

    def test_sleep_is_measured_by_the_clock(self) -> None:
        self.assertLess(end_of(lambda: time.sleep(60)), 2 * SECONDS + 1)

    def test_computing_beside_others_is_given_the_time_they_took(self) -> None:
        taken = end_of(burn)
        self.assertGreater(taken, 2 * SECONDS)
        self.assertLess(taken, module._MAX_SLOWDOWN * SECONDS + 2)

    def test_where_the_kernel_does_not_tell_the_clock_counts(self) -> None:
        with mock.patch.object(module, "_processor_seconds", return_value=(0.0, 0.0)):
            self.assertLess(end_of(burn), 2 * SECONDS + 1)


if __name__ == "__main__":
    unittest.main()
