# SPDX-License-Identifier: Apache-2.0
"""What is too long for two cores and 25 minutes is run in turns: another part of the list each week, the whole of it by
--long."""

import time

WEEK_SECONDS = 7 * 24 * 3600


def week() -> int:
    return int(time.time()) // WEEK_SECONDS


def part_of(whole: list, parts: int) -> list:
    """Neighbours in a list are alike, so this week's part is taken from all over it."""
    return whole[week() % parts :: parts]
