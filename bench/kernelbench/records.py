# SPDX-License-Identifier: Apache-2.0
"""What a run leaves: results.jsonl, one line a task, and run.json beside it, which says what was asked for."""

from __future__ import annotations

import json
import math
import os
import pathlib
import threading

SCHEMA = "stitchcuda.kernelbench_bench/1"
RUN_SCHEMA = "stitchcuda.kernelbench_run/1"
GREATEST = 1e30  # stands for what is not finite: JSON has no word for that


def plain(value):
    """`value` as JSON can say it."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return GREATEST if isinstance(value, float) and not math.isfinite(value) else value


def read(path: pathlib.Path) -> list[dict]:
    """The records of a file, the last one of each task; a line that was cut short is none."""
    found = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if record.get("schema") == SCHEMA:
            found[record["task"]] = record
    return list(found.values())


class Records:
    def __init__(self, out: pathlib.Path):
        self.path, self.about = out / "results.jsonl", out / "run.json"
        self._lock = threading.Lock()
        out.mkdir(parents=True, exist_ok=True)
        self._end_cut_line()

    def _end_cut_line(self) -> None:
        """What was cut short must not swallow the next line."""
        if self.path.exists() and self.path.stat().st_size and not self.path.read_bytes().endswith(b"\n"):
            with self.path.open("ab") as file:
                file.write(b"\n")

    def append(self, record: dict) -> None:
        """Whole and at once: one write, so that a run that is killed leaves whole lines."""
        line = json.dumps(plain({"schema": SCHEMA, **record})) + "\n"
        with self._lock, self.path.open("ab", buffering=0) as file:
            file.write(line.encode())
            os.fsync(file.fileno())

    def begin(self, about: dict) -> None:
        """A run that resumes another adds to what that one was asked for."""
        runs = runs_of(self.path)
        text = json.dumps({"schema": RUN_SCHEMA, "runs": [*runs, about]}, indent=1)
        aside = self.about.with_suffix(".new")
        aside.write_text(text + "\n")
        aside.replace(self.about)


def runs_of(results: pathlib.Path) -> list[dict]:
    about = results.with_name("run.json")
    return json.loads(about.read_text())["runs"] if about.exists() else []
