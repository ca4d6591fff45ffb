# SPDX-License-Identifier: Apache-2.0
"""A deadline for work that runs the user's code or PyTorch's tracer, neither of which promises to end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from .failures import TIMEOUT, Failure, innermost_line_in

_REPEAT_SECONDS = 1.0


class DeadlinePassed(BaseException):
    """Raised inside the late work. No Exception, so that `except Exception` in a user's file does not swallow it."""


@contextmanager
def deadline(seconds: float, doing: str, file: str) -> Iterator[None]:
    """Ends the body with a Failure once `seconds` have passed. A single long C call is ended only when it returns;
    the caller's own time limit covers that. Without effect off the main thread, where signals cannot be used."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise DeadlinePassed()

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT_SECONDS)  # again, for what swallows the first
    try:
        yield
    except DeadlinePassed as passed:
        frame = innermost_line_in(os.path.dirname(file), passed.__traceback__)
        where = f"; it was at `{(frame.line or '').strip()}`" if frame else ""
        place = f"{frame.filename}:{frame.lineno}" if frame else file
        sentence = f"{doing} did not end within {seconds:g} s{where}."
        remedy = (
            "Make the program smaller (a long Python loop in forward is traced step by step) "
            "or allow more time with --import-timeout."
        )
        raise Failure(TIMEOUT, sentence, place, remedy) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
