# SPDX-License-Identifier: Apache-2.0
"""One process for each program: it compiles the baselines, waits without touching the GPU, and times them beside our
library when it is told to. The driver's half; time_program.py is the other."""

from __future__ import annotations

import json
import os
import pathlib
import select
import subprocess
import sys
import time


class Process:
    def __init__(self, program: pathlib.Path, math: str, compile_seconds: float, threads: int, log: pathlib.Path):
        script = pathlib.Path(__file__).with_name("time_program.py")
        self.environment = dict(os.environ, TORCHINDUCTOR_COMPILE_THREADS=str(threads))
        self.command = [
            sys.executable,
            str(script),
            str(program),
            "--math",
            math,
            "--compile-seconds",
            str(compile_seconds),
        ]
        self.log = log
        self.child = self.start([])

    def start(self, without: list[str]) -> subprocess.Popen:
        """The log is what tells why a process ended before its time."""
        with self.log.open("a") as log:
            return subprocess.Popen(
                [*self.command, "--without", *without],
                env=self.environment,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    def answer(self, seconds: float) -> dict:
        """The next line of the child as JSON; {"error": ...} when none comes in time."""
        end = time.monotonic() + max(seconds, 0.1)
        while time.monotonic() < end:
            ready, _, _ = select.select([self.child.stdout], [], [], max(0.0, end - time.monotonic()))
            line = self.child.stdout.readline() if ready else ""
            if ready and not line:
                return {"error": f"the process ended with status {self.child.wait()}: {self.last_words()}"}
            if line.startswith("{"):
                return json.loads(line)
        self.child.kill()
        return {"error": "out of time"}

    def last_words(self) -> str:
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1][:200] if lines else "it said nothing"

    def wait_until_ready(self, seconds: float) -> dict:
        """What the baselines took, or why one is missing. A baseline that breaks the GPU's context takes the process
        with it: it starts again without that one."""
        end = time.monotonic() + seconds
        notes = self.answer(seconds)
        failed = {}
        while "broken" in notes:
            name = notes["broken"]
            failed[name] = notes[name]
            self.end()
            self.child = self.start(list(failed))
            notes = self.answer(end - time.monotonic())
        return {**notes, **failed}

    def time(self, library: str, seconds: float) -> dict:
        try:
            self.child.stdin.write(library + "\n")
            self.child.stdin.flush()
        except (BrokenPipeError, ValueError):
            return {"error": "the process is gone"}
        return self.answer(seconds)

    def end(self) -> None:
        self.child.kill()
        self.child.wait()
