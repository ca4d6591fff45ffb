# SPDX-License-Identifier: Apache-2.0
"""The GPU of a run: many may use it side by side, or one alone, who is not kept waiting by others that come later."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

DRAIN_SECONDS = 0.1  # until the GPU has done what those that are stopped had launched
LOOKING_SECONDS = 0.03  # between two looks whether the tuner times; it starts a process before it does


class Gate:
    """Whoever tunes, verifies or compiles shares; whoever times is alone from the first to the last."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._sharing = self._waiting = 0
        self._is_taken = False

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._is_taken and not self._waiting)
            self._sharing += 1
        try:
            yield
        finally:
            with self._changed:
                self._sharing -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: not self._is_taken and not self._sharing)
            self._waiting -= 1
            self._is_taken = True
        try:
            yield
        finally:
            with self._changed:
                self._is_taken = False
                self._changed.notify_all()

    def tuning(self):
        return self.shared()

    def compiling(self, _: subprocess.Popen):
        """Beside torch.compile in that process, which leads a group of its own."""
        return self.shared()

    def preparing(self, _: subprocess.Popen):
        """Beside the process that makes a turn's baselines ready, within the turn."""
        return contextlib.nullcontext()

    def turn(self):
        """Of one task's times, with all that leads to them."""
        return self.alone()

    def quiet(self):
        """While samples are taken."""
        return contextlib.nullcontext()


class Pipeline(Gate):
    """Whoever times is alone only while samples are taken: what tunes waits for the lock that the tuner itself takes
    for each of its timings, what compiles is stopped, and what verifies is waited for. While the tuner times, what
    compiles and what makes baselines ready is stopped as well: beside a process that has the GPU half of the time a
    setting takes twice as long, steadily, and the tuner takes another."""

    def __init__(self, lock: pathlib.Path | None):
        """`lock`: of the product's timings on this GPU; None where nothing is timed."""
        super().__init__()
        self._lock = lock
        self._turn, self._stopping = threading.Lock(), threading.Lock()
        self._compiling: set[subprocess.Popen] = set()
        self._is_quiet = self._is_tuning = self._is_watched = False

    def tuning(self):
        return contextlib.nullcontext()

    @contextlib.contextmanager
    def compiling(self, process: subprocess.Popen) -> Iterator[None]:
        with self._stopping:
            self._compiling.add(process)
            if self._is_quiet or self._is_tuning:
                tell(process, signal.SIGSTOP)
            if self._lock is not None and not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._watch, daemon=True).start()
        try:
            yield
        finally:
            with self._stopping:
                self._compiling.discard(process)
            tell(process, signal.SIGCONT)

    def preparing(self, process: subprocess.Popen):
        return self.compiling(process)

    def _watch(self) -> None:
        """Whether the tuner times is found out by asking for its lock, as long as there is somebody to stop."""
        while True:
            is_tuning = self._is_held()
            with self._stopping:
                if not self._compiling:
                    self._is_tuning = self._is_watched = False
                    return
                self._is_tuning = is_tuning
                self._tell_all()
            time.sleep(LOOKING_SECONDS)

    def _is_held(self) -> bool:
        if not self._lock.exists():
            return False
        with self._lock.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        with self._turn:
            yield

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        with self.alone(), self._locked():
            self._stop(True)
            time.sleep(DRAIN_SECONDS if self._compiling else 0)
            try:
                yield
            finally:
                self._stop(False)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        if self._lock is None:
            yield
            return
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        with self._lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _stop(self, is_quiet: bool) -> None:
        with self._stopping:
            self._is_quiet = is_quiet
            self._tell_all()

    def _tell_all(self) -> None:
        number = signal.SIGSTOP if self._is_quiet or self._is_tuning else signal.SIGCONT
        for process in self._compiling:
            tell(process, number)


def tell(process: subprocess.Popen, number: int) -> None:
    """The group that it leads, where it is still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if process.poll() is None:
            os.killpg(process.pid, number)
