# SPDX-License-Identifier: Apache-2.0
"""JSON objects, one a line, over a socket that the parent passes as descriptor 3."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

CHANNEL_DESCRIPTOR = 3
# The exit status of a process whose program closed the channel; the other side knows it by the same number.
CHANNEL_CLOSED_STATUS = 97


class Channel:
    """Requests in, answers and progress out. The descriptor is moved out of the user's reach and not inherited."""

    def __init__(self, descriptor: int = CHANNEL_DESCRIPTOR) -> None:
        own = os.dup(descriptor)
        os.close(descriptor)
        os.set_inheritable(own, False)
        self._reader = os.fdopen(own, "rb", buffering=1 << 16)
        self._descriptor = own
        self._identity = os.fstat(own)
        self._owner = os.getpid()

    def requests(self) -> Iterator[dict[str, Any]]:
        """Every request until the parent closes its end. A line that is no JSON object yields {"malformed": text}."""
        for line in self._reader:
            if not line.strip():
                continue
            try:
                request = json.loads(line)
            except ValueError:
                request = None
            self._end_if_forked()
            yield request if isinstance(request, dict) else {"malformed": line.decode("utf-8", "replace")[:200]}

    def _end_if_forked(self) -> None:
        """A user's program that forks brings its child back to us: one of the two must not answer."""
        if os.getpid() != self._owner:
            os._exit(0)

    def is_closed(self) -> bool:
        """Whether the descriptor is gone, or stands for another file by now."""
        try:
            return not os.path.samestat(os.fstat(self._descriptor), self._identity)
        except OSError:
            return True

    def send(self, message: dict[str, Any]) -> None:
        """Writes one line. Floats must be finite: JSON has no spelling for the others."""
        self._end_if_forked()
        if self.is_closed():
            os._exit(CHANNEL_CLOSED_STATUS)
        data = (json.dumps(message, allow_nan=False, separators=(",", ":")) + "\n").encode()
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]
