# SPDX-License-Identifier: Apache-2.0
"""`stitchcuda admit` on programs that are worth nothing as a task, each for a reason of its own, and on good ones.

The first lines of programs/NAME.py say what is expected: `# status:`, `# takes:` (every null candidate that passes, by
number), `# kernelbench takes:` (those that we refuse and KernelBench's own rule would not), `# unasked:` (part of a
question that no verdict can ask; without it there is none), `# says:` (part of an error).
Cost: a minute and a half on two cores.
"""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from named_seed import with_seed

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
FEW_SECONDS = 600


def expected(program: pathlib.Path) -> dict[str, str]:
    keys = "status|takes|kernelbench takes|unasked|says"
    return dict(re.findall(rf"^# ({keys}): (.*)$", program.read_text(), re.MULTILINE))


def admit(build: pathlib.Path, program: pathlib.Path, scratch: str) -> tuple[int, dict]:
    return ask(build, scratch, "admit", str(program))


def ask(build: pathlib.Path, scratch: str, *arguments: str) -> tuple[int, dict]:
    environment = dict(os.environ, STITCHCUDA_CACHE=f"{scratch}/cache", XDG_STATE_HOME=f"{scratch}/state")
    command = [str(build / "stitchcuda"), *with_seed(*arguments), "--device", "emulated", "--json", "--quiet"]
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
    unasked = admission["unasked"]
    if not any(wanted["unasked"] in each for each in unasked) if "unasked" in wanted else unasked:
        wrong.append(f"expected as unasked {wanted.get('unasked')}, told: {unasked}")
    for number in wanted.get("kernelbench takes", "").split():
        if not of_kind(admission["nulls"], lambda each: each["number"] == number and each["kernelbench_takes_it"]):
            wrong.append(f"KernelBench's rule is said to refuse {number}")
    return wrong


@pytest.fixture(scope="module", name="scratch")
def scratch_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """With a cache of its own: an answer that is known from an earlier build would show nothing."""
    return str(tmp_path_factory.mktemp("admission"))


@pytest.mark.usefixtures("preloads")
@pytest.mark.parametrize("program", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_program(program: pathlib.Path, build: pathlib.Path, scratch: str) -> None:
    wrong = judge(*admit(build, program, scratch), expected(program))
    assert not wrong, "\n".join(wrong)


def test_known_again(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The second time the answer comes from the cache; another text is another task."""
    first = shutil.copy(PROGRAMS / "layer.py", tmp_path / "first.py")
    changed = tmp_path / "changed.py"
    changed.write_text(first.read_text() + "\n# another\n")
    answers = [admit(build, program, str(tmp_path)) for program in (first, first, changed)]
    assert [code for code, _ in answers] == [0, 0, 0]
    assert [answer["admission"]["cached"] for _, answer in answers] == [False, True, False]


def test_told_beside_a_verdict(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A right answer to a task that takes zeros is right, and said to be worth nothing; or there is no verdict."""
    answer = tmp_path / "zeros"
    shutil.copytree(HERE / "zeros", answer)
    shutil.copy(HERE.parent / "candidates" / "include" / "candidate.h", answer)
    judged = ["verify", "--candidate", str(answer), "--program", str(PROGRAMS / "constant_zero.py")]
    code, told = ask(build, str(tmp_path), *judged)
    assert code == 0, told
    assert told["candidate"]["admission"]["status"] == "degenerate", told["verdict"]
    code, refused = ask(build, str(tmp_path), *judged, "--admitted-only")
    assert code == 3 and "degenerate" in refused["error"]["sentence"], refused
