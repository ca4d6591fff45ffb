# SPDX-License-Identifier: Apache-2.0
"""What has been fed so far, kept on disk as it is found: a run that is stopped loses only what was under way."""

import json
import pathlib
import threading
import zlib

from .catalogue import Operator
from .program_text import program
from .trial import Outcome


class Record:
    """JSON lines, one for each time an operator was fed; of several with the same operator the last one counts."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path, self._lock = path, threading.Lock()
        self._entries: dict[str, dict] = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue  # the line that was being written when the run was stopped
            self._entries[entry["name"]] = entry

    def add(self, operator: Operator, seed: int, result: dict[str, Outcome]) -> None:
        outcomes = {dtype: [outcome.kind, outcome.sentence] for dtype, outcome in result.items()}
        entry = {"name": operator.name, "cases": fingerprint(operator, seed), "outcomes": outcomes}
        with self._lock:
            self._entries[operator.name] = entry
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as file:
                file.write(json.dumps(entry) + "\n")

    def found(self, operators: list[Operator], seed: int) -> dict[str, dict[str, Outcome]]:
        """By name, what came of those that were fed with the same cases as they would be now."""
        return {
            operator.name: {dtype: Outcome(*outcome) for dtype, outcome in entry["outcomes"].items()}
            for operator in operators
            if (entry := self._entries.get(operator.name)) and entry["cases"] == fingerprint(operator, seed)
        }


def fingerprint(operator: Operator, seed: int) -> int:
    return zlib.crc32(program(operator, operator.dtypes, seed).encode())
