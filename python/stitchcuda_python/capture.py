# SPDX-License-Identifier: Apache-2.0
"""Keeps what the user's program prints away from our channel and from the caller's terminal."""

from __future__ import annotations

import os
import sys
import tempfile

TAIL_BYTES = 4000


class Capture:
    """While active, descriptors 1 and 2 lead to a nameless file, so native code and child processes are caught too.
    Misuse to know: one at a time per process, since descriptors are process-wide."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()
        self._saved: list[int] = []

    def __enter__(self) -> Capture:
        _flush()
        self._saved = [os.dup(1), os.dup(2)]
        self._file.seek(0)
        self._file.truncate()
        os.dup2(self._file.fileno(), 1)
        os.dup2(self._file.fileno(), 2)
        return self

    def __exit__(self, *_unused: object) -> None:
        _flush()
        for descriptor, saved in zip((1, 2), self._saved):
            os.dup2(saved, descriptor)
            os.close(saved)
        self._saved = []

    def tail(self) -> str:
        """The last few kilobytes that were printed during the last use."""
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, size - TAIL_BYTES))
        return self._file.read().decode("utf-8", "replace")


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (ValueError, OSError, AttributeError):
            pass  # the user's program closed or replaced it
