# SPDX-License-Identifier: Apache-2.0
"""A run folder as KernelBench leaves it: answers of every sort to three small tasks, taken from this tree's own
candidates, each with the verdict that its folder foretells and with what KernelBench's own check makes of it."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# number of the task -> its program, and its answers in the order of their samples
TASKS = {
    1: ("linear_relu_6x20", (
        "honest/module/*/model_new_raises_for_other_shapes",
        "honest/module/*/model_new_gpu_load_inline",
        "rejects/module/borrowed/model_new_calls_its_layer",  # PyTorch as it was, by another name
        "rejects/module/borrowed/model_new_imports_the_reference",
        "rejects/module/borrowed/model_new_compiles",  # torch.compile alone
        "rejects/module/borrowed/model_new_decoy_kernel",  # a decorative kernel
        "rejects/module/borrowed/model_new_operators",
        "rejects/module/borrowed/model_new_falls_back",
        "rejects/module/borrowed/model_new_autograd_function",
        "rejects/module/borrowed/model_new_no_class",
        "rejects/module/data/model_new_another_layer",
        "rejects/module/data/model_new_weights_of_the_constructor",
        "rejects/module/form/model_new_a_tuple",
        "rejects/module/form/model_new_equal_to_everything",
        "rejects/module/memory/model_new_zeroes_inputs",
        "rejects/module/numerics/model_new_broadcast_output",
        "rejects/module/numerics/model_new_half_output",
        "rejects/module/replay/model_new_keyed_by_shape",
        "rejects/module/replay/model_new_right_three_times",
        "rejects/module/replay/model_new_static_output",
        "rejects/module/timing/model_new_lazy_output",
    )),
    2: ("linear_relu_37x50", ("honest/module/*/inline_linear_relu",)),
    3: ("linear_relu_9x20", (
        "rejects/module/form/inline_does_not_compile",
        "rejects/module/numerics/inline_without_bias",
        "rejects/module/borrowed/inline_no_kernel",
        "rejects/module/borrowed/inline_calls_matmul",
    )),
}  # fmt: skip


@dataclasses.dataclass
class Answer:
    task: int
    sample: int
    folder: pathlib.Path

    @property
    def kinds(self) -> list[str]:
        """The verdicts that are right."""
        lines = (self.folder / "expect").read_text().splitlines()
        return next(line.removeprefix("kind:").split() for line in lines if line.startswith("kind:"))

    @property
    def file(self) -> pathlib.Path:
        return self.folder / "candidate" / "model_new.py"

    @property
    def text(self) -> str:
        """One file, as an answer is: what candidates share stands in place of the line that imports it."""
        def shared(line: re.Match) -> str:
            file = ROOT / "tests" / "candidates" / "include" / f"{line[1]}.py"
            return file.read_text() if file.is_file() else line[0]
        return re.sub(r"^from (\w+) import [\w, ]+\n", shared, self.file.read_text(), flags=re.MULTILINE)


def answers() -> list[Answer]:
    found = []
    for task, (_, patterns) in TASKS.items():
        for sample, pattern in enumerate(patterns):
            (folder,) = (ROOT / "tests").glob(pattern)
            found.append(Answer(task, sample, folder))
    return found


def write(suite: pathlib.Path, run: pathlib.Path) -> list[Answer]:
    (suite / "level1").mkdir(parents=True)
    run.mkdir(parents=True)
    for task, (program, _) in TASKS.items():
        text = (ROOT / "tests" / "programs" / f"{program}.py").read_text()
        (suite / "level1" / f"{task}_{program}.py").write_text(text)
    for answer in answers():
        name = f"level_1_problem_{answer.task}_sample_{answer.sample}_kernel.py"
        (run / name).write_text(answer.text)
    return answers()


# What KernelBench's eval_kernel_against_ref asks: both classes constructed after one seed, five draws of get_inputs,
# equal shapes, and torch.allclose at 1e-4 absolute and relative. On the CPU, where nothing needs a GPU.
_RULE = '''
import json, sys, torch
def run(path):
    space = {"__name__": "answer"}
    exec(compile(open(path).read(), path, "exec"), space)
    return space
def seeded(seed, function):
    torch.manual_seed(seed)
    return function()
reference, answer = run(sys.argv[1]), run(sys.argv[2])
with torch.no_grad():
    init = seeded(42, reference["get_init_inputs"])
    model = seeded(42, lambda: reference["Model"](*init))
    new = seeded(42, lambda: answer["ModelNew"](*init))
    right = 0
    for trial in range(5):
        inputs = seeded(trial + 42, reference["get_inputs"])
        wanted = model(*inputs)
        got = new(*inputs)
        right += wanted.shape == got.shape and bool(torch.allclose(wanted, got, atol=1e-4, rtol=1e-4))
print(json.dumps(right == 5))
'''


def kernelbench_says(program: pathlib.Path, answer: pathlib.Path, seconds: float) -> bool:
    """Whether KernelBench's check takes the answer; what raises is no answer there either."""
    command = [sys.executable, "-c", _RULE, str(program), str(answer)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    return done.returncode == 0 and bool(json.loads(done.stdout.splitlines()[-1]))
