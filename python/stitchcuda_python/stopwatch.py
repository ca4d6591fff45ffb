# SPDX-License-Identifier: Apache-2.0
"""Where the seconds of a long request went."""

from __future__ import annotations

import time


class Stopwatch:
    """Seconds by name, each since the lap before."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, name: str) -> None:
        """What was done since the last lap was `name`; more of it adds up."""
        now = time.monotonic()
        self.seconds[name] = round(self.seconds.get(name, 0.0) + now - self._last, 3)
        self._last = now
