# SPDX-License-Identifier: Apache-2.0
"""The program `stitchcuda`, asked for one thing at a time; an answer is its JSON object, or one with `error`."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys

import children


def timing_lock(binary: str) -> pathlib.Path | None:
    """The file whose lock the product takes for each timing on the GPU here (driver/time/timing_lock.cc)."""
    told = subprocess.run([binary, "cache", "--json"], text=True, capture_output=True, check=False).stdout
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0] or "0"
    asked = ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader", "-i", visible]
    try:
        uuid = subprocess.run(asked, text=True, capture_output=True, check=True).stdout.strip()
        return pathlib.Path(json.loads(told)["folder"]) / f"timing-{uuid}.lock"
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError):
        return None


@dataclasses.dataclass
class Product:
    binary: str
    math: str
    libraries: str
    database: pathlib.Path | None = None  # of measured times; the cache's where there is none
    memory: float = float("inf")  # bytes that one command may hold

    def ask(self, verb: str, *arguments: str, seconds: float, log: pathlib.Path, niceness: int = 0) -> dict:
        command = [self.binary, verb, *arguments, "--json", "--quiet"]
        environment = {"STITCHCUDA_PYTHON": sys.executable, **os.environ}
        done = children.run(command, log, max(seconds, 1), self.memory, niceness, env=environment)
        if done.stopped:
            error = {"code": "stopped", "sentence": f"{verb} {done.stopped}", "is_slow": "longer" in done.stopped}
            return {"error": error, "spent": done.seconds}
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            said = children.last_words(log)
            return {"error": {"code": "crashed", "sentence": f"{verb} ended with status {done.status}: {said}"},
                    "spent": done.seconds}
        return {**answer, "spent": done.seconds}

    def on_program(self, verb: str, program: pathlib.Path, *more: str, **how) -> dict:
        """A verb that takes a program in PyTorch and plans for it."""
        database = ["--tuning-database", str(self.database)] if self.database else []
        planned = ["--math", self.math, "--libraries", self.libraries, *database]
        return self.ask(verb, str(program), *planned, *more, **how)
