# SPDX-License-Identifier: Apache-2.0
"""One process for each program: it compiles the baselines, waits without touching the GPU, and times them beside our
library when it is told to; or it is told first, and does all of that then. The driver's half; time_program.py is the
other."""

from __future__ import annotations

import json
import os
import pathlib
import select
import subprocess
import sys
import time

import children

SCRIPT = pathlib.Path(__file__).with_name("time_program.py")


class Process:
    def __init__(
        self, program: pathlib.Path, log: pathlib.Path, *options: str, without: list[str] = (), threads: int = 3, **more
    ):
        """`more`: of its environment."""
        self.environment = dict(os.environ, TORCHINDUCTOR_COMPILE_THREADS=str(threads), **more)
        self.command = [sys.executable, str(SCRIPT), str(program), *options]
        self.log, self.without = log, list(without)
        self.failed: dict[str, str] = {}
        self.child = self.start()

    def start(self) -> subprocess.Popen:
        """The log is what tells why a process ended before its time."""
        self.unread = b""
        without = [*self.without, *self.failed]
        return children.start(
            [*self.command, *(["--without", *without] if without else [])],
            self.log,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def line(self, seconds: float) -> str | None:
        """The next line, empty where the child has ended; None when none comes in time. Read by ourselves: what a text
        file has read ahead, select() does not see."""
        limit = time.monotonic() + seconds
        while b"\n" not in self.unread:
            ready, _, _ = select.select([self.child.stdout], [], [], max(0.0, limit - time.monotonic()))
            if not ready:
                return None
            more = os.read(self.child.stdout.fileno(), 1 << 16)
            if not more:
                return ""
            self.unread += more
        line, _, self.unread = self.unread.partition(b"\n")
        return line.decode(errors="replace") + "\n"

    def answer(self, seconds: float) -> dict:
        """The next line of the child as JSON; {"error": ...} when none comes in time."""
        limit = time.monotonic() + max(seconds, 0.1)
        while (line := self.line(limit - time.monotonic())) is not None:
            if not line:
                said = children.last_words(self.log)
                return {"error": f"the process ended with status {self.child.wait()}: {said}"}
            if line.startswith("{"):
                return json.loads(line)
        self.end()
        return {"error": "out of time", "is_slow": True}

    def tell(self, order: dict) -> bool:
        """Whether it was there to be told."""
        try:
            self.child.stdin.write(json.dumps(order) + "\n")
            self.child.stdin.flush()
        except (BrokenPipeError, ValueError):
            return False
        return True

    def wait_until_ready(self, seconds: float, order: dict | None = None) -> dict:
        """What the baselines took, or why one is missing. A baseline that breaks the GPU's context takes the process
        with it: it starts again without that one. `order` is for a process that waits to be told."""
        limit = time.monotonic() + seconds
        while order is None or self.tell(order):
            notes = self.answer(limit - time.monotonic())
            if "ready" in notes:  # of one that was started again: the order lies before it
                notes = self.answer(limit - time.monotonic())
            if "broken" not in notes:
                return {**notes, **self.failed}
            self.failed[notes["broken"]] = notes[notes["broken"]]
            self.end()
            self.child = self.start()
        return {"error": "the process is gone"}

    def time(self, order: dict, seconds: float) -> dict:
        return self.answer(seconds) if self.tell(order) else {"error": "the process is gone"}

    def end(self) -> None:
        children.end(self.child, grace=0)
        self.child.stdout.close()
