# SPDX-License-Identifier: Apache-2.0
"""What is too long for two cores and 15 minutes is run in parts. The commit chooses the part, so that a commit that
fails fails again tomorrow, and another commit tries another part; --long runs the whole."""

import functools
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
VARIABLE = "STITCH_TEST_PART"
# Divisible by every number of parts up to ten, so that no part comes more often than another.
NUMBERS = 5040


@functools.cache
def part() -> int:
    """STITCH_TEST_PART, else made from the commit that is checked out; 0 in a tree without git."""
    if VARIABLE in os.environ:
        return int(os.environ[VARIABLE])
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return int(head.stdout[:12], 16) % NUMBERS if head.returncode == 0 else 0


def part_of(whole: list, parts: int) -> list:
    """Neighbours in a list are alike, so the part is taken from all over it."""
    return whole[part() % parts :: parts]
