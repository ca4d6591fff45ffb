# SPDX-License-Identifier: Apache-2.0
"""What a model got wrong itself while it learned from rewards, as questions and lessons on how to mend it.

Mistakes that are planted into right files differ from it in a line; a small model's own are others, and it repeats them
until it has seen them mended.
"""
from __future__ import annotations

import hashlib
import json
import pathlib
import random

from embedded_files import code_of, lines_of

BUILT = ("mismatch", "runtime_error", "timeout")
NOT_BUILT = ("compile_error",)
MOST_OF_A_STEP = 6


def drawn_in(runs: list[pathlib.Path]) -> list[dict]:
    """The answers of all steps of the runs."""
    paths = [path for run in runs for path in sorted((run / "rollouts").glob("step-*.jsonl"))]
    return [line for path in paths for line in lines_of(path)]


def mistakes_of(drawn: list[dict], seed: int) -> list[dict]:
    """Of such answers those that a verdict found wrong, each once, as `stitchcuda-rule-lessons` reads them."""
    found: dict[tuple[str, str], dict] = {}
    for line in drawn:
        code = code_of(line["text"])
        if code is None or line["outcome"] not in (*BUILT, *NOT_BUILT) or not line["sentence"]:
            continue
        task, _, step = line["task_id"].partition("/")
        found[line["task_id"], code] = {"task": task, "step": step, "code": code, "told": line["sentence"],
                                        "is_built": line["outcome"] in BUILT}
    mistakes = list(found.values())
    random.Random(seed).shuffle(mistakes)
    kept: dict[str, list[dict]] = {}
    for each in mistakes:
        kept.setdefault(f"{each['task']}/{each['step']}", []).append(each)
    return [each for of_step in kept.values() for each in of_step[:MOST_OF_A_STEP]]


def not_always_right(questions: list[dict], drawn: list[dict]) -> list[dict]:
    """Without those of which every answer was right: nothing more is learned from them."""
    right: dict[tuple[str, str], bool] = {}
    for line in drawn:
        question = line["task_id"], json.dumps(line.get("messages"))
        right[question] = right.get(question, True) and line["outcome"] == "ok"
    return [each for each in questions if not right.get((each["task"], json.dumps(each["messages"])), False)]


def one_mistake_a_step(questions: list[dict]) -> list[dict]:
    """So that what is looked at asks for either skill alike. Which mistake differs from step to step."""
    steps: dict[str, list[dict]] = {}
    for each in questions:
        if each["skill"] == "refinement":
            steps.setdefault(each["task"], []).append(each)
    mended = [each[int(hashlib.sha256(step.encode()).hexdigest()[:8], 16) % len(each)] for step, each in steps.items()]
    return [each for each in questions if each["skill"] == "scratch"] + mended


def beside(lessons: list[dict], others: list[dict], share: int, seed: int) -> list[dict]:
    """Lessons on own mistakes among `share` times as many others, so that nothing is unlearned."""
    mixed = lessons + random.Random(seed).sample(others, min(len(others), share * len(lessons)))
    random.Random(seed + 1).shuffle(mixed)
    return mixed


def write_lines(path: pathlib.Path, lines: list[dict]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
