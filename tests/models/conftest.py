# SPDX-License-Identifier: Apache-2.0
"""What the suites here share: the program that they ask."""
from __future__ import annotations

import json
import pathlib
import subprocess
from collections.abc import Iterator

import pytest


class Probe:
    """models-probe, which answers one request a line."""

    def __init__(self, program: pathlib.Path) -> None:
        self.process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def answer(self, what: str, **asked) -> dict:
        """{"value": ...} or {"error": message, "code": name}."""
        self.process.stdin.write(json.dumps({"do": what, **asked}).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"models-probe ended with {self.process.wait()} when asked to {what}"
        return json.loads(line)

    def value(self, what: str, **asked):
        answer = self.answer(what, **asked)
        assert "value" in answer, answer
        return answer["value"]

    def error(self, what: str, **asked) -> str:
        answer = self.answer(what, **asked)
        assert "error" in answer, answer
        return answer["error"]


@pytest.fixture(scope="module")
def probe(build: pathlib.Path) -> Iterator[Probe]:
    program = build / "models-probe"
    if not program.is_file():
        pytest.skip("there is no models-probe, which needs PCRE2 and ICU: tools/setup --tests, then tools/build")
    it = Probe(program)
    yield it
    it.process.stdin.close()
    assert it.process.wait() == 0
