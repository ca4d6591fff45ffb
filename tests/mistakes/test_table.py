# SPDX-License-Identifier: Apache-2.0
"""The 28 evaluator mistakes: each row of README.md names tests that exist and are part of `make test`.

GoogleTests run with their binaries, the Python tests and candidates that the table names with their own suites.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "candidates"))
from folder import find_candidate  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ROWS = [f"M{number:02}" for number in range(1, 29)]
KNOWN_TESTS: dict[str, set[str]] = {}


def rows_of(text: str) -> dict[str, list[str]]:
    """The tests of each row."""
    found = {}
    for line in text.splitlines():
        row = re.match(r"\| (M\d\d) \|.*\| (.*) \|$", line)
        if row:
            found[row.group(1)] = re.findall(r"`([^`]+)`", row.group(2))
    return found


def names_in(binary: pathlib.Path) -> set[str]:
    """Every test that the binary would run."""
    listed = subprocess.run([binary, "--gtest_list_tests"], text=True, capture_output=True, check=False).stdout
    names, suite = set(), ""
    for line in listed.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            names.add(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return names


def is_enabled(test: str) -> bool:
    return "DISABLED_" not in test


def problem_of(test: str, build: pathlib.Path, known: dict[str, set[str]]) -> str:
    """Why the test does not show anything, or nothing."""
    if test.startswith(("honest/", "rejects/")):
        return "" if find_candidate(test) else "there is no such candidate"
    if " " not in test:
        owner, _, name = test.partition(".")
        text = (HERE / "test_mistakes.py").read_text()
        body = text[text.find(f"class {owner}(") :] if f"class {owner}(" in text else ""
        body = body[: body.find("\nclass ", 1)] if "\nclass " in body[1:] else body
        return "" if f"def {name}(" in body else "there is no such Python test"
    binary, _, name = test.partition(" ")
    found = sorted(build.glob(f"src/*/{binary}"))
    if not found:
        return f"there is no {binary}; tools/run-tests runs build/src/*/*_test"
    known.setdefault(binary, names_in(found[0]))
    return "" if name in known[binary] and is_enabled(name) else f"{binary} has no such test"


ROWS_NAMED = rows_of((HERE / "README.md").read_text())


def test_every_row_is_one_of_the_28() -> None:
    assert sorted(ROWS_NAMED) == ROWS


@pytest.mark.parametrize("row", ROWS)
def test_row(row: str, build: pathlib.Path) -> None:
    tests = ROWS_NAMED.get(row)
    assert tests, "no test is named"
    problems = [f"{test}: {problem}" for test in tests if (problem := problem_of(test, build, KNOWN_TESTS))]
    assert not problems, "\n".join(problems)
