# SPDX-License-Identifier: Apache-2.0
"""Tasks at sizes that the emulated device computes at once, with what a model is asked about them and learns first."""
from __future__ import annotations

import concurrent.futures
import dataclasses
import hashlib
import json
import pathlib
import random
import re
import subprocess
import sys
from collections.abc import Callable

import expert
import recombine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from forks import Forks  # noqa: E402

ASK = "Write this program in CUDA.\n```python\n%s```\n"
MEND = "%sAn answer was:\n```cuda\n%s```\n%s\nMend it.\n"
# What the service says of each, as the model may be told it.
FEEDBACK = {"unguarded": "It crashes.", "unfinished": "The answer is not what the reference gives.",
            "cut_short": "It does not compile.", "on_the_host": "It breaks a rule of the task."}
KINDS = sorted(FEEDBACK)
WORKSPACE_SECONDS = 300
Run = Callable[[list[str], float], subprocess.CompletedProcess[str]]
TIMES = 4  # that each task is in the lessons, at sizes of its own each time
RECOMBINED = 0.75  # of the lessons: other lines in the place of the task's own


def shrink(tasks: pathlib.Path, task: dict, to: pathlib.Path) -> pathlib.Path:
    """The task's program at its reduced sizes."""
    text = (tasks / task["file"]).read_text()
    for name, size in task["reduced"].items():
        text = re.sub(rf"^{name} = \d+$", f"{name} = {size}", text, flags=re.MULTILINE)
    path = to / f"{task['id']}.py"
    path.write_text(text)
    return path


def shape_of(program: str) -> tuple[int, ...] | None:
    """Of its one input, by the names of its sizes."""
    sizes = {name: int(size) for name, size in re.findall(r"^(\w+) = (\d+)$", program, flags=re.MULTILINE)}
    drawn = re.search(r"return \[torch\.randn?\(([\w, ]+)\)\]", program)
    names = drawn[1].split(", ") if drawn else []
    return tuple(sizes[name] for name in names) if names and sizes.keys() >= set(names) else None


def resized(program: str, random_source: random.Random) -> str:
    """At other sizes, so that they have to be read."""
    return re.sub(r"^(\w+) = \d+$", lambda found: f"{found[1]} = {random_source.randint(2, 39)}", program,
                  flags=re.MULTILINE)


def ask_expert(program: pathlib.Path, folder: pathlib.Path, stitchcuda: pathlib.Path,
               run: Run) -> expert.Pointwise | None:
    """None where its program is more than one map of one tensor."""
    if not (folder / "CONTRACT.md").exists():
        words = [str(stitchcuda), "workspace", "--program", str(program), str(folder)]
        if run(words, WORKSPACE_SECONDS).returncode != 0:
            return None
    text = program.read_text()
    shape, steps = shape_of(text), sorted((folder / "expert" / "steps").glob("*.cu"))
    if shape is None or len(steps) != 1:
        return None
    lines = text.splitlines()
    graph = (folder / "expert" / "graph.ir").read_text()
    nodes = re.findall(r"^(\w+): .*  @ \S+:(\d+)$", graph, re.MULTILINE)
    sources = {node: lines[int(line) - 1].strip() for node, line in nodes}
    return expert.read_step(steps[0].read_text(), shape, sources)


def fence(code: str) -> str:
    return f"```cuda\n{code}```"


@dataclasses.dataclass(frozen=True)
class Solved:
    """A task, its program's text and what the expert makes of it."""

    task: dict
    program: str
    pointwise: expert.Pointwise

    def ask(self) -> str:
        return ASK % self.program.split('"""\n', 1)[-1].strip().replace("\n\n\n", "\n\n")

    def bad(self, name: str) -> str:
        return expert.on_the_host(self.pointwise) if name == "on_the_host" else expert.SPOILT[name](self.pointwise)

    def mend(self, name: str) -> str:
        return MEND % (self.ask(), self.bad(name), FEEDBACK[name])

    def varied(self, random_source: random.Random, lines: recombine.Lines) -> Solved:
        """At other sizes, mostly of other lines."""
        program, pointwise = resized(self.program, random_source), self.pointwise
        if lines.lines and random_source.random() < RECOMBINED:
            program, pointwise = recombine.joined(lines.drawn(random_source), program, pointwise)
        return Solved(self.task, program, dataclasses.replace(pointwise, shape=shape_of(program)))

    def lesson(self, skill: str, question: str, answer: str, is_positive: bool) -> dict:
        return {"schema": "stitchcuda.lesson/1", "id": hashlib.sha256(f"{question}\0{answer}".encode()).hexdigest(),
                "task": self.task["id"], "family": self.task["family"], "split": self.task["split"], "skill": skill,
                "messages": [{"role": "user", "content": question}], "answer": fence(answer),
                "is_positive": is_positive}

    def lessons(self, random_source: random.Random, lines: recombine.Lines) -> list[dict]:
        """As one collects who looks at nothing: half of those from scratch and two of three mended ones are right."""
        made = []
        for name in ("", "", random_source.choice(sorted(expert.SPOILT)), "on_the_host"):
            one = self.varied(random_source, lines)
            answer = one.bad(name) if name else expert.right(one.pointwise, is_strided=len(made) == 1)
            made.append(one.lesson("scratch", one.ask(), answer, not name))
        for before, name in zip(random_source.sample(KINDS, 3), ("", "", random_source.choice(KINDS)), strict=True):
            one = self.varied(random_source, lines)
            answer = one.bad(name) if name else expert.right(one.pointwise, is_strided=len(made) == 5)
            made.append(one.lesson("refinement", one.mend(before), answer, not name))
        return made

    def prompts(self, random_source: random.Random) -> list[dict]:
        questions = (("scratch", self.ask()), ("refinement", self.mend(random_source.choice(KINDS))))
        return [{"task": self.task["id"], "skill": skill, "messages": [{"role": "user", "content": question}]}
                for skill, question in questions]


def solve(tasks: pathlib.Path, out: pathlib.Path, stitchcuda: pathlib.Path, most: dict[str, int],
          longest: int) -> list[Solved]:
    """At most so many tasks of each split and of `longest` operators; those that are more than a map are left out."""
    every = [json.loads(line) for line in (tasks / "tasks.jsonl").read_text().splitlines()]
    listed = [task for task in every if len(task["operators"]) <= longest]
    chosen = [task for split, count in most.items() for task in [t for t in listed if t["split"] == split][:count]]
    (out / "programs").mkdir(parents=True, exist_ok=True)
    programs = [shrink(tasks, task, out / "programs") for task in chosen]
    folders = [out / "expert" / program.stem for program in programs]
    forks = Forks()  # loading PyTorch is most of what an answer costs
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda each: ask_expert(*each, stitchcuda, forks.run),
                                zip(programs, folders, strict=True)))
    forks.close()
    return [Solved(task, program.read_text(), answer)
            for task, program, answer in zip(chosen, programs, answers, strict=True) if answer is not None]


def write(solved: list[Solved], out: pathlib.Path, random_source: random.Random, longest: int = 5) -> None:
    """lessons.jsonl, and prompts of both skills: train.jsonl, scratch.jsonl (without refinement), held_out.jsonl."""
    trained = [each for each in solved if each.task["split"] == "train"]
    held_out = [each for each in solved if each.task["split"] != "train"]
    lines = recombine.Lines([(each.task["family"], each.program, each.pointwise) for each in trained],
                            {each.task["family"] for each in held_out}, longest)
    files = {"lessons": [lesson for each in trained * TIMES for lesson in each.lessons(random_source, lines)],
             "train": [prompt for each in trained for prompt in each.prompts(random_source)],
             "held_out": [prompt for each in held_out for prompt in each.prompts(random_source)]}
    files["scratch"] = [prompt for prompt in files["train"] if prompt["skill"] == "scratch"]
    for name, lines in files.items():
        (out / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
