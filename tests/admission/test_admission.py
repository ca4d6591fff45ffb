#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stitchcuda admit` on programs that are worth nothing as a task, each for a reason of its own, and on good ones.

    tests/admission/run BUILD_FOLDER [--long] [NAME ...]
The first lines of programs/NAME.py say what is expected: `# status:`, `# takes:` (every null candidate that passes, by
number), `# kernelbench takes:` (those that we refuse and KernelBench's own rule would not), `# says:` (part of an error).
Cost: a minute and a half on two cores.
"""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
FEW_SECONDS = 600


def expected(program: pathlib.Path) -> dict[str, str]:
    return dict(re.findall(r"^# (status|takes|kernelbench takes|says): (.*)$", program.read_text(), re.MULTILINE))


def admit(build: pathlib.Path, program: pathlib.Path, scratch: str) -> tuple[int, dict]:
    return ask(build, scratch, "admit", str(program))


def ask(build: pathlib.Path, scratch: str, *arguments: str) -> tuple[int, dict]:
    environment = dict(os.environ, STITCHCUDA_CACHE=f"{scratch}/cache", XDG_STATE_HOME=f"{scratch}/state")
    command = [str(build / "stitchcuda"), *arguments, "--device", "emulated", "--json", "--quiet"]
    done = subprocess.run(command, cwd=scratch, env=environment, text=True, capture_output=True, timeout=FEW_SECONDS,
                          check=False)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, {"error": {"sentence": f"no JSON: {done.stdout}{done.stderr}"}}


def of_kind(nulls: list[dict], wanted) -> set[str]:
    return {each["number"] for each in nulls if wanted(each)}


def judge(code: int, answer: dict, wanted: dict[str, str]) -> list[str]:
    """What is not as expected."""
    if wanted["status"] == "error":
        said = answer.get("error", {}).get("sentence", "")
        return [] if code == 3 and wanted["says"] in said else [f"exit {code}: {said or answer}"]
    if "admission" not in answer:
        return [f"exit {code}: {answer.get('error', answer)}"]
    admission = answer["admission"]
    wrong = []
    if admission["status"] != wanted["status"] or code != (0 if wanted["status"] == "admitted" else 1):
        wrong.append(f"exit {code}, {admission['sentence']}")
    passed = of_kind(admission["nulls"], lambda each: each["outcome"] == "passed")
    missing = set(wanted.get("takes", "").split()) - passed
    if missing:
        wrong.append(f"refused, though it should pass: {', '.join(sorted(missing))}")
    for number in wanted.get("kernelbench takes", "").split():
        if not of_kind(admission["nulls"], lambda each: each["number"] == number and each["kernelbench_takes_it"]):
            wrong.append(f"KernelBench's rule is said to refuse {number}")
    return wrong


def known_again(build: pathlib.Path, program: pathlib.Path, scratch: str) -> list[str]:
    """The second time the answer comes from the cache; another text is another task."""
    code, answer = admit(build, program, scratch)
    changed = pathlib.Path(scratch) / program.name
    changed.write_text(program.read_text() + "\n# another\n")
    _, other = admit(build, changed, scratch)
    cached = [answer.get("admission", {}).get("cached"), other.get("admission", {}).get("cached")]
    return [] if code == 0 and cached == [True, False] else [f"exit {code}, from the cache: {cached}"]


def told_beside_a_verdict(build: pathlib.Path, scratch: str) -> list[str]:
    """A right answer to a task that takes zeros is right, and said to be worth nothing; or there is no verdict."""
    answer = pathlib.Path(scratch) / "zeros"
    shutil.copytree(HERE / "zeros", answer)
    shutil.copy(HERE.parent / "candidates" / "include" / "candidate.h", answer)
    judged = ["verify", "--candidate", str(answer), "--program", str(PROGRAMS / "constant_zero.py")]
    code, told = ask(build, scratch, *judged)
    status = told.get("candidate", {}).get("admission", {}).get("status")
    wrong = [] if code == 0 and status == "degenerate" else [f"exit {code}, admission {status}: {told.get('verdict')}"]
    code, refused = ask(build, scratch, *judged, "--admitted-only")
    said = refused.get("error", {}).get("sentence", "")
    return wrong + ([] if code == 3 and "degenerate" in said else [f"--admitted-only: exit {code}: {said}"])


def main() -> int:
    arguments = [argument for argument in sys.argv[1:] if argument != "--long"]
    build, names = pathlib.Path(arguments[0]).resolve(), arguments[1:]
    programs = sorted(path for path in PROGRAMS.glob("*.py") if not names or path.stem in names)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        results = [(path.stem, judge(*admit(build, path, scratch), expected(path))) for path in programs]
        if not names:
            results.append(("known again", known_again(build, PROGRAMS / "layer.py", scratch)))
            results.append(("told beside a verdict", told_beside_a_verdict(build, scratch)))
    for name, wrong in results:
        print(f"{'FAILED' if wrong else 'ok':7} {name}" + "".join(f"\n        {line}" for line in wrong), flush=True)
        failed += bool(wrong)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
