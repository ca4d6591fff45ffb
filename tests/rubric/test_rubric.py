# SPDX-License-Identifier: Apache-2.0
"""The rubric on candidates that experts have marked: marks.tsv names them, facts/ holds what was seen of each.

`rubric_test` computes the agreement with the experts from facts/ alone. This suite runs candidates for real: their
facts must still give the marks that the recorded ones give. Without --long those of this folder, refinements apart,
and a few others that the commit chooses; --update writes facts/ anew. Cost: about four seconds each on one core, a
minute in all; a program of problems/ costs half a minute.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest
from named_seed import with_seed

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path.insert(0, str(TESTS / "candidates"))
from folder import Candidate, find_candidate, lay_out  # noqa: E402

DEADLINE_S = 600
PARTS = 20


def read_marks() -> list[dict[str, str]]:
    keys = (
        "candidate",
        "skill",
        "feedback",
        "previous",
        "anti_hacking",
        "cuda_engineering",
        "operator_coverage",
        "skill_compliance",
    )
    lines = [line for line in (HERE / "marks.tsv").read_text().splitlines() if not line.startswith("#")]
    return [dict(zip(keys + ("reason",), line.split("\t"))) for line in lines]


def facts_file(row: dict[str, str]) -> pathlib.Path:
    suffix = "" if row["feedback"] == "-" else "+" + row["feedback"].removesuffix(".txt")
    suffix += "" if row["previous"] == "-" else "+" + row["previous"].replace("/", "-")
    return HERE / "facts" / (row["candidate"].replace("/", "-") + suffix + ".json")


def candidate_of(row: dict[str, str]) -> Candidate:
    return find_candidate(row["candidate"])


def stitchcuda(arguments: list[str], build: pathlib.Path, place: pathlib.Path, cache: pathlib.Path) -> dict:
    """What a verb says. It runs in `place`, and beside it keeps what it may remember."""
    command = [str(build / "stitchcuda"), *with_seed(*arguments), "--device", "emulated", "--json"]
    environment = dict(os.environ, STITCHCUDA_CACHE=str(cache), STITCHCUDA_STATE=str(place.parent / "state"))
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=DEADLINE_S)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit {done.returncode}: {done.stdout[-500:]} {done.stderr[-500:]}")
    return json.loads(done.stdout)


def subject_of(row: dict[str, str], build: pathlib.Path, place: pathlib.Path, cache: pathlib.Path) -> list[str]:
    """What to score: a candidate of tests/ with its program, or what our own coder makes of a problem."""
    if not row["candidate"].startswith("problems/"):
        return [str(lay_out(candidate_of(row), place)), "--program", str(place / "program.py")]
    program = TESTS.parent / (row["candidate"] + ".py")
    stitchcuda(["optimize", str(program), "--skip-nvcc", "--out", str(place / "out")], build, place, cache)
    return [str(place / "out")]


def score(row: dict[str, str], build: pathlib.Path, scratch: pathlib.Path, cache: pathlib.Path) -> dict:
    place = scratch / facts_file(row).stem
    place.mkdir()
    arguments = ["score", *subject_of(row, build, place, cache)]
    arguments += ["--skill", row["skill"], "--out", str(place / "score.json")]
    if row["feedback"] != "-":
        arguments += ["--feedback", str(HERE / "feedback" / row["feedback"])]
    if row["previous"] != "-":
        before = place / "before"
        before.mkdir()
        arguments += ["--previous", str(lay_out(candidate_of(dict(row, candidate=row["previous"])), before))]
    return stitchcuda(arguments, build, place, cache)


def marks_of(said: dict) -> dict[str, int]:
    return {dimension["name"]: dimension["points"] for dimension in said["dimensions"]}


def without_chance(facts: dict) -> dict:
    """Times, and the details of verdicts, differ from run to run; what remains says the same everywhere."""
    facts["verdict"]["detail"] = ""
    for launch in facts["launches"] or []:
        launch["file"] = pathlib.Path(launch["file"]).name
    return facts


def is_ours(row: dict[str, str]) -> bool:
    return row["candidate"].startswith("rubric/") and row["previous"] == "-"


def cases() -> list:
    return [pytest.param(row, id=facts_file(row).stem, marks=[pytest.mark.always] if is_ours(row) else [])
            for row in read_marks()]


@pytest.mark.usefixtures("preloads")
@pytest.mark.in_parts(PARTS)
@pytest.mark.parametrize("row", cases())
def test_marks(row: dict[str, str], build: pathlib.Path, cache: pathlib.Path, update: bool,
               tmp_path: pathlib.Path) -> None:
    said = score(row, build, tmp_path, cache)
    file = facts_file(row)
    if update:
        recorded = {"expected": marks_of(said), "facts": without_chance(said["facts"])}
        file.write_text(json.dumps(recorded, indent=1) + "\n")
    assert marks_of(said) == json.loads(file.read_text())["expected"]
