#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rubric on candidates that experts have marked: marks.tsv names them, facts/ holds what was seen of each.

    tests/rubric/run BUILD_FOLDER [--record] [--long] [--only PART_OF_A_NAME]... [--jobs 2]
`rubric_test` computes the agreement with the experts from facts/ alone. This suite runs candidates for real: their facts
must still give the marks that the recorded ones give. Without --long or --only those of this folder, refinements apart,
and a few others that the commit chooses; --record writes facts/ anew. Cost: about four seconds each on one core, a
minute in all; a program of problems/ costs half a minute.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(TESTS / "candidates"), str(TESTS)]
from folder import Candidate, find_candidate, lay_out  # noqa: E402
from part import part  # noqa: E402

DEADLINE_S = 600
A_FEW = 4


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
    command = [str(build / "stitchcuda"), *arguments, "--device", "emulated", "--json"]
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


def judge(row: dict[str, str], options: argparse.Namespace, scratch: pathlib.Path) -> str:
    """A sentence on what is wrong, or nothing."""
    said = score(row, options.build, scratch, options.cache or scratch / "cache")
    file = facts_file(row)
    if options.record:
        recorded = {"expected": marks_of(said), "facts": without_chance(said["facts"])}
        file.write_text(json.dumps(recorded, indent=1) + "\n")
        return ""
    expected = json.loads(file.read_text())["expected"]
    return "" if marks_of(said) == expected else f"marks {marks_of(said)}, recorded {expected}"


def chosen(rows: list[dict[str, str]], options: argparse.Namespace) -> list[dict[str, str]]:
    if options.only:
        return [row for row in rows if any(part in row["candidate"] for part in options.only)]
    if options.long or options.record:
        return rows
    ours = [row for row in rows if row["candidate"].startswith("rubric/") and row["previous"] == "-"]
    others = [row for row in rows if row not in ours]
    start = part() * A_FEW % len(others)
    return ours + (others + others)[start : start + A_FEW]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", type=pathlib.Path, help="of compiled code; else one that is made and thrown away")
    options = parser.parse_args()
    (HERE / "facts").mkdir(exist_ok=True)
    rows = chosen(read_marks(), options)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="rubric-"))
    failed = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            runs = {pool.submit(judge, row, options, scratch): row for row in rows}
            for run in concurrent.futures.as_completed(runs):
                error = run.exception()
                problem = str(error) if error else run.result()
                failed += bool(problem)
                print(f"{'FAILED' if problem else 'passed'}  {facts_file(runs[run]).stem}  {problem}", flush=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
