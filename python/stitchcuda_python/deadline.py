# SPDX-License-Identifier: Apache-2.0
"""A deadline for work that runs the user's code or PyTorch's tracer, neither of which promises to end. On a busy
machine it comes later: time in which this process was ready to run and others had the processors does not count."""

from __future__ import annotations

import glob
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from .failures import TIMEOUT, Failure, innermost_line_in

_REPEAT_SECONDS = 1.0
_MAX_SLOWDOWN = 20  # a machine that is slower than this is as good as broken


class DeadlinePassed(BaseException):
    """Raised inside the late work. No Exception, so that `except Exception` in a user's file does not swallow it."""


class _Clock:
    """Seconds since it was made, less what others took of the processors."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._before = _processor_seconds()

    def passed(self) -> float:
        return time.monotonic() - self._start

    def counted(self) -> float:
        ran, waited = (now - before for now, before in zip(_processor_seconds(), self._before))
        passed = self.passed()
        # Of several threads each waits; a process that mostly sleeps has hardly been held up.
        return passed - min(waited, passed * waited / (ran + waited)) if waited > 0 else passed


def _processor_seconds() -> tuple[float, float]:
    """How long this process's threads ran, and how long they were ready to and did not. Zeros where the kernel does not
    tell: then the clock alone counts."""
    ran = waited = 0
    for name in glob.glob("/proc/self/task/*/schedstat"):
        try:
            with open(name) as file:
                fields = file.read().split()
            ran, waited = ran + int(fields[0]), waited + int(fields[1])
        except (OSError, ValueError, IndexError):  # a thread that ended meanwhile
            continue
    return ran / 1e9, waited / 1e9


@contextmanager
def deadline(seconds: float, doing: str, file: str) -> Iterator[None]:
    """Ends the body with a Failure once `seconds` have passed. A single long C call is ended only when it returns;
    the caller's own time limit covers that. Without effect off the main thread, where signals cannot be used."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    clock = _Clock()

    def ring(_signal: int, _frame: FrameType | None) -> None:
        left = seconds - clock.counted()
        if left > 0 and clock.passed() < _MAX_SLOWDOWN * seconds:
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.05), _REPEAT_SECONDS)
            return
        raise DeadlinePassed()

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT_SECONDS)  # again, for what swallows the first
    try:
        yield
    except DeadlinePassed as passed:
        frame = innermost_line_in(os.path.dirname(file), passed.__traceback__)
        where = f"; it was at `{(frame.line or '').strip()}`" if frame else ""
        location = f"{frame.filename}:{frame.lineno}" if frame else file
        message = f"{doing} did not end within {seconds:g} s{where}."
        remedy = (
            "Make the program smaller (a long Python loop in forward is traced step by step) "
            "or allow more time with --import-timeout."
        )
        raise Failure(TIMEOUT, message, location, remedy) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
