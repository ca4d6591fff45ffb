# SPDX-License-Identifier: Apache-2.0
"""Answers that somebody already has, judged again: our verdicts beside KernelBench's own check, and why they differ.
Long: each of the 26 answers is judged as `verify` judges it."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import made_answers
import pytest

PATIENCE = float(os.environ.get("STITCH_TEST_PATIENCE", "1"))
# Right for us as well.
HONEST = {(1, 0), (1, 1), (2, 0)}
# What its check takes and we refuse, with what it does not ask.
TAKEN_BY_KERNELBENCH = {
    "model_new_calls_its_layer": "who computes: PyTorch's own layer does",
    "model_new_decoy_kernel": "who computes: the kernel decorates",
    "model_new_operators": "who computes: PyTorch's operators do",
    "model_new_falls_back": "who computes, once a kernel fails",
    "model_new_autograd_function": "who computes: PyTorch's operators, in an autograd function",
    "model_new_weights_of_the_constructor": "other weights than the constructor's",
    "model_new_equal_to_everything": "who compares: the answer's own class of tensors does",
    "model_new_static_output": "an earlier answer, which the next call overwrites",
}


def test_answers_of_a_run_folder_are_answers() -> None:
    found = made_answers.answers()
    assert len(found) >= 20
    assert {(each.task, each.sample) for each in found if each.kinds == ["ok"]} == HONEST
    assert set(TAKEN_BY_KERNELBENCH) < {each.folder.name for each in found}
    shared = {file.stem for file in (made_answers.ROOT / "tests" / "candidates" / "include").glob("*.py")}
    assert shared and not [each.file for each in found for name in shared if f"from {name} import" in each.text]


@pytest.mark.long
def test_answers_are_judged_as_foretold(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    found = made_answers.write(tmp_path / "suite", tmp_path / "answers")
    command = [build / "stitchcuda", "bench", "kernelbench", "--root", tmp_path / "suite", "--candidates",
               tmp_path / "answers", "--no-admit", "--device", "emulated", "--jobs", "2", "--seed", "5",
               "--task-seconds", str(int(600 * PATIENCE)), "--out", tmp_path / "run", "--json", "--quiet"]  # fmt: skip
    environment = {**os.environ, "STITCHCUDA_STATE": str(tmp_path / "state")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text().splitlines()]
    rows = {(line["number"], line["sample"]): line for line in lines if line["outcome"] != "missing"}
    assert sorted(rows) == sorted((each.task, each.sample) for each in found)
    for each in found:
        row = rows[each.task, each.sample]
        assert row["kind"] in each.kinds, (each.folder.name, row["kind"], row["sentence"])
        if row["kind"] == "ok":
            assert row["others"]["kernelbench 1e-4"] is True, each.folder.name
        if row["kind"] == "cheated":
            # A kernel of its own does the whole work once more, for nobody.
            wanted = "partial_hack" if each.folder.name == "inline_calls_matmul" else "total_hack"
            assert row["class"] == wanted, each.folder.name
    kept = json.loads((tmp_path / "run" / "eval_results.json").read_text())
    assert len(kept) == len(made_answers.TASKS)


@pytest.mark.long
@pytest.mark.parametrize("name", TAKEN_BY_KERNELBENCH)
def test_kernelbench_takes_it(name: str) -> None:
    (answer,) = (each for each in made_answers.answers() if each.folder.name == name)
    program = made_answers.ROOT / "tests" / "programs" / f"{made_answers.TASKS[answer.task][0]}.py"
    assert made_answers.kernelbench_says(program, answer.file, 300 * PATIENCE), TAKEN_BY_KERNELBENCH[name]
