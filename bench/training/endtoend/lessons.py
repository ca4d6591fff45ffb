# SPDX-License-Identifier: Apache-2.0
"""Tasks at sizes that the emulated device computes at once, with what a model is asked about them and learns first."""
from __future__ import annotations

import concurrent.futures
import hashlib
import json
import pathlib
import random
import re
import subprocess

import expert

ASK = "Write this program in CUDA.\n```python\n%s```\n"
MEND = "%sAn answer was:\n```cuda\n%s```\n%s\nMend it.\n"
# What the service says of each, as the model may be told it.
FEEDBACK = {"unguarded": "It crashes.", "unfinished": "The answer is not what the reference gives.",
            "cut_short": "It does not compile.", "on_the_host": "It breaks a rule of the task."}


def shrink(tasks: pathlib.Path, task: dict, to: pathlib.Path) -> pathlib.Path:
    """The task's program at its reduced sizes."""
    text = (tasks / task["file"]).read_text()
    for name, size in task["reduced"].items():
        text = re.sub(rf"^{name} = \d+$", f"{name} = {size}", text, flags=re.MULTILINE)
    path = to / f"{task['id']}.py"
    path.write_text(text)
    return path


def ask_expert(program: pathlib.Path, folder: pathlib.Path, stitchcuda: pathlib.Path) -> expert.Pointwise | None:
    """None where its program is more than one map of one tensor."""
    if not (folder / "CONTRACT.md").exists():
        done = subprocess.run([stitchcuda, "workspace", "--program", program, folder], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            return None
    shape = re.search(r"\| input \| 0 \| `\w+` \| `f32\[([\d,]+)\]` \|", (folder / "CONTRACT.md").read_text())
    steps = sorted((folder / "expert" / "steps").glob("*.cu"))
    if shape is None or len(steps) != 1:
        return None
    return expert.read_step(steps[0].read_text(), tuple(map(int, shape[1].split(","))))


def fence(code: str) -> str:
    return f"```cuda\n{code}```"


class Solved:
    """A task, its program's text and what the expert makes of it."""

    def __init__(self, task: dict, program: pathlib.Path, pointwise: expert.Pointwise) -> None:
        self.task, self.pointwise, self.program = task, pointwise, program
        self.ask = ASK % program.read_text().split('"""\n', 1)[-1].strip().replace("\n\n\n", "\n\n")
        self.bad = {name: make(pointwise) for name, make in expert.SPOILT.items()}
        self.bad["on_the_host"] = expert.on_the_host(pointwise)

    def mend(self, name: str) -> str:
        return MEND % (self.ask, self.bad[name], FEEDBACK[name])

    def lesson(self, skill: str, question: str, answer: str, is_positive: bool) -> dict:
        return {"schema": "stitchcuda.lesson/1", "id": hashlib.sha256(f"{question}\0{answer}".encode()).hexdigest(),
                "task": self.task["id"], "family": self.task["family"], "split": self.task["split"], "skill": skill,
                "messages": [{"role": "user", "content": question}], "answer": fence(answer),
                "is_positive": is_positive}

    def lessons(self, random_source: random.Random) -> list[dict]:
        """As somebody collects them who looks at nothing: of four from scratch two are right, of three mended ones two."""
        good = [expert.right(self.pointwise, is_strided=each) for each in (False, True)]
        spoilt = random_source.choice(sorted(expert.SPOILT))
        made = [self.lesson("scratch", self.ask, each, True) for each in good]
        made += [self.lesson("scratch", self.ask, self.bad[each], False) for each in (spoilt, "on_the_host")]
        before = random_source.sample(sorted(self.bad), 3)
        for name, answer in zip(before, (*good, self.bad[random_source.choice([spoilt, "on_the_host"])]), strict=True):
            made.append(self.lesson("refinement", self.mend(name), answer, answer in good))
        return made

    def prompts(self, random_source: random.Random) -> list[dict]:
        name = random_source.choice(sorted(self.bad))
        return [{"task": self.task["id"], "skill": skill, "messages": [{"role": "user", "content": question}]}
                for skill, question in (("scratch", self.ask), ("refinement", self.mend(name)))]


def solve(tasks: pathlib.Path, out: pathlib.Path, stitchcuda: pathlib.Path, most: dict[str, int]) -> list[Solved]:
    """At most so many tasks of each split; those that are more than a map are left out."""
    listed = [json.loads(line) for line in (tasks / "tasks.jsonl").read_text().splitlines()]
    chosen = [task for split, count in most.items() for task in [t for t in listed if t["split"] == split][:count]]
    (out / "programs").mkdir(parents=True, exist_ok=True)
    programs = [shrink(tasks, task, out / "programs") for task in chosen]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda program: ask_expert(program, out / "expert" / program.stem, stitchcuda), programs))
    return [Solved(task, program, answer)
            for task, program, answer in zip(chosen, programs, answers, strict=True) if answer is not None]


def write(solved: list[Solved], out: pathlib.Path, random_source: random.Random) -> None:
    """lessons.jsonl, and prompts of both skills: train.jsonl, scratch.jsonl (without refinement), held_out.jsonl."""
    trained = [each for each in solved if each.task["split"] == "train"]
    held_out = [each for each in solved if each.task["split"] != "train"]
    files = {"lessons": [lesson for each in trained for lesson in each.lessons(random_source)],
             "train": [prompt for each in trained for prompt in each.prompts(random_source)],
             "held_out": [prompt for each in held_out for prompt in each.prompts(random_source)]}
    files["scratch"] = [prompt for prompt in files["train"] if prompt["skill"] == "scratch"]
    for name, lines in files.items():
        (out / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
