#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The 28 evaluator mistakes: each row of README.md names tests that exist and are part of `make test`.

    tests/mistakes/run BUILD_FOLDER [--table-only]
GoogleTests run with their binaries; the candidates and Python tests that the table names are run here.
Cost: about a minute on one core. --table-only checks the table and runs nothing.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ROWS = [f"M{number:02}" for number in range(1, 29)]
PYTHON = str(ROOT / ".venv" / "bin" / "python")


def rows_of(text: str) -> dict[str, list[str]]:
    """The tests of each row."""
    found = {}
    for line in text.splitlines():
        row = re.match(r"\| (M\d\d) \|.*\| (.*) \|$", line)
        if row:
            found[row.group(1)] = re.findall(r"`([^`]+)`", row.group(2))
    return found


def tests_of(binary: pathlib.Path) -> set[str]:
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
        return "" if (ROOT / "tests" / test / "expect").exists() else "there is no such candidate"
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
    known.setdefault(binary, tests_of(found[0]))
    return "" if name in known[binary] and is_enabled(name) else f"{binary} has no such test"


def check_table(build: pathlib.Path) -> tuple[list[str], set[str]]:
    found, problems, known = rows_of((HERE / "README.md").read_text()), [], {}
    for row in ROWS:
        if not found.get(row):
            problems.append(f"{row}: no test is named")
        for test in found.get(row, []):
            problem = problem_of(test, build, known)
            problems += [f"{row}: {test}: {problem}"] if problem else []
    problems += [f"{row} is no row of the 28" for row in found if row not in ROWS]
    return problems, {test for tests in found.values() for test in tests}


def run_candidates(tests: set[str], build: pathlib.Path) -> tuple[int, int, str]:
    only = [part for test in sorted(tests) if "/" in test and " " not in test for part in ("--only", test.split("/")[1])]
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "candidates" / "run", build, *only], text=True, capture_output=True, check=False
    )
    counts = re.findall(r"^(\d+) passed, (\d+) failed", done.stdout, re.M)
    passed, failed = (int(count) for count in counts[-1]) if counts else (0, 1)
    return passed, failed, done.stdout + done.stderr if failed or not passed else ""


def run_python() -> tuple[int, int, str]:
    command = [PYTHON, "-m", "unittest", "discover", "-s", str(HERE), "-t", str(HERE)]
    done = subprocess.run(command, text=True, capture_output=True, check=False, cwd=ROOT)
    ran = sum(int(count) for count in re.findall(r"^Ran (\d+) tests? in", done.stderr, re.M))
    failed = sum(int(count) for count in re.findall(r"(?:failures|errors)=(\d+)", done.stderr))
    failed = max(failed, 1 if done.returncode or ran == 0 else 0)
    return ran - min(failed, ran), failed, done.stderr if failed else ""


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    problems, tests = check_table(build)
    for problem in problems:
        print(f"FAIL: {problem}")
    passed, failed = len(ROWS) - len({problem[:3] for problem in problems}), len(problems)
    if "--table-only" not in sys.argv:
        for more_passed, more_failed, text in (run_python(), run_candidates(tests, build)):
            passed, failed = passed + more_passed, failed + more_failed
            print(text, end="")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
