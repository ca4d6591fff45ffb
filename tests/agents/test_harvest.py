# SPDX-License-Identifier: Apache-2.0
"""What agents did in a bench over made tasks becomes lessons, by `stitchcuda harvest`.

Cost: one optimization with agents, half a minute.
"""
from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest

from .conftest import PROGRAM, SOURCE

FAMILY = "norm+pointwise"


def ask(folder: pathlib.Path, *arguments: str) -> tuple[int, dict, str]:
    environment = {**os.environ, "STITCHCUDA_STATE": str(folder / "state"), "HOME": str(folder)}
    ended = subprocess.run([str(PROGRAM), *arguments, "--quiet", "--json"], cwd=folder, env=environment, text=True,
                           capture_output=True, timeout=900, check=False)
    return ended.returncode, json.loads(ended.stdout or "{}"), ended.stderr


def make_list(folder: pathlib.Path, **members: str) -> pathlib.Path:
    file = folder / "tasks.jsonl"
    file.write_text(json.dumps({"name": "scaled", "source": SOURCE, **members}) + "\n")
    return file


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("harvest")
    make_list(folder, family=FAMILY)
    status, _, error = ask(folder, "bench", "tasks.jsonl", "--device", "emulated", "--no-admit", "--out", "bench",
                           "--model", "expert:faults=0.5", "--max-rounds", "4", "--jobs", "1")
    assert status == 0, error
    return folder


def test_lessons_are_of_both_skills_and_lie_in_the_file_of_their_family(ran: pathlib.Path) -> None:
    status, report, error = ask(ran, "harvest", "bench", "--out", "lessons")
    assert status == 0, error
    files = {split: (ran / "lessons" / f"{split}.jsonl").read_text().splitlines()
             for split in ("train", "validation", "test")}
    filled = [split for split, lines in files.items() if lines]
    assert len(filled) == 1
    lessons = [json.loads(line) for line in files[filled[0]]]
    assert {lesson["split"] for lesson in lessons} == set(filled)
    assert {lesson["family"] for lesson in lessons} == {FAMILY} and {lesson["task"] for lesson in lessons} == {"scaled"}
    assert {"scratch", "refinement"} == {lesson["skill"] for lesson in lessons}
    assert len({lesson["id"] for lesson in lessons}) == len(lessons) == sum(report["lessons"].values())
    assert json.loads((ran / "lessons" / "report.json").read_text()) == report


def test_a_lesson_has_its_question_its_answer_and_what_became_of_it(ran: pathlib.Path) -> None:
    ask(ran, "harvest", "bench", "--out", "again")
    lessons = [json.loads(line) for split in ("train", "validation", "test")
               for line in (ran / "again" / f"{split}.jsonl").read_text().splitlines()]
    for lesson in lessons:
        assert lesson["messages"][0]["role"] == "system" and "scaled" in json.dumps(lesson["messages"])
        assert lesson["answer"] and lesson["rewards"] is not None
        if lesson["is_positive"]:
            assert lesson["verdict"]["outcome"] == "right"
        if lesson["skill"] == "refinement":
            assert lesson["before"]["attempt"] < lesson["verdict"]["attempt"]
    assert any(lesson["is_positive"] for lesson in lessons)


def test_an_earlier_harvest_is_replaced_and_nothing_else_is(ran: pathlib.Path) -> None:
    assert ask(ran, "harvest", "bench", "--out", "twice")[0] == 0
    assert ask(ran, "harvest", "bench", "--out", "twice")[0] == 0
    (ran / "mine").mkdir()
    (ran / "mine" / "thesis.txt").write_text("years of work")
    status, _, error = ask(ran, "harvest", "bench", "--out", "mine")
    assert status == 2 and "something else than lessons" in error
    assert (ran / "mine" / "thesis.txt").read_text() == "years of work"


def test_tasks_without_a_family_are_refused_in_a_sentence(ran: pathlib.Path) -> None:
    told = json.loads((ran / "bench" / "bench.json").read_text())
    for task in told["tasks"]:
        task["family"] = ""
    other = ran / "without"
    other.mkdir()
    (other / "bench.json").write_text(json.dumps(told))
    status, _, error = ask(ran, "harvest", "without", "--out", "never")
    assert status == 2 and "has no family" in error
    assert not (ran / "never").exists()
