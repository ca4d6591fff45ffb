# SPDX-License-Identifier: Apache-2.0
"""The time of what ran (docs/executed.md) of emitted programs and of steps that somebody has written in their place.

About 15 seconds of one core. The counts themselves are tested in tests/emulator/counts, the sum in src/plan/executed.
"""
from __future__ import annotations

import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "executed"))
from ranks import spearman  # noqa: E402

ROWS, COLUMNS = 96, 512
HEAD = "import torch\nimport torch.nn as nn\n\n\n"
TAIL = "\n\n\ndef get_init_inputs():\n    return []\n"
SCALE = HEAD + f"""class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x * 1.5 + 0.5)


def get_inputs():
    return [torch.randn({ROWS}, {COLUMNS})]""" + TAIL
PRODUCT = HEAD + """BATCH = 390


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.expand = nn.Linear(328, 396)

    def forward(self, x):
        return torch.softmax(torch.relu(self.expand(x)), dim=-1)


def get_inputs():
    return [torch.randn(BATCH, 328)]""" + TAIL
STEP = """#include "stitch/step.h"

%(before)s
__global__ void scale(const float* from, float* to, float addend) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int at = %(at)s;
  to[at] = fmaxf(from[at] * 1.5F + addend, 0.0F);
}

extern "C" int step_00(const StepArgs* args, cudaStream_t stream) {
  scale<<<%(count)d / 256, 256, 0, stream>>>(static_cast<const float*>(args->tensors[0]),
                                             static_cast<float*>(args->tensors[1]), %(addend)s);
  return cudaGetLastError();
}
"""


def step(at: str = "i", before: str = "", addend: str = "0.5F") -> str:
    return STEP % {"at": at, "before": before, "addend": addend, "count": ROWS * COLUMNS}


class Program:
    """A folder as optimize leaves it, without a verdict."""

    def __init__(self, build: pathlib.Path, python: str, folder: pathlib.Path, text: str) -> None:
        self.stitchcuda = build / "stitchcuda"
        self.environment = {**os.environ, "STITCHCUDA_PYTHON": python}
        self.folder = folder / "out"
        self.source = source = folder / "program.py"
        source.write_text(text)
        self.call("import", source, "--scale", "full", "--out", folder / "graph.ir")
        self.call("plan", folder / "graph.ir", "--libraries", "off", "--target", "sm_90a", "--out",
                  folder / "plan.json")
        self.call("emit", folder / "plan.json", "--out", self.folder)
        task = {"schema": "stitchcuda.task/1", "file": str(source), "mode": "as-is", "math": "fp32"}
        (self.folder / "task.json").write_text(json.dumps(task))

    def call(self, *words: object) -> str:
        done = subprocess.run([str(word) for word in (self.stitchcuda, *words)], capture_output=True, text=True,
                              check=False, env=self.environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def profile(self, *options: str) -> dict:
        return json.loads(self.call("profile", self.folder, "--device", "emulated", "--json", *options))

    def copied(self, folder: pathlib.Path) -> Program:
        other = copy.copy(self)
        other.folder = shutil.copytree(self.folder, folder / "out")
        return other

    def write_step(self, text: str) -> None:
        next(self.folder.glob("steps/00_*.cu")).write_text(text)


@pytest.fixture(scope="module")
def emitted(build: pathlib.Path, loaded_python: str, tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(build, loaded_python, tmp_path_factory.mktemp("scale"), SCALE)


@pytest.fixture
def scale(emitted: Program, tmp_path: pathlib.Path) -> Program:
    return emitted.copied(tmp_path)


def test_counts_are_those_of_the_program(scale: Program) -> None:
    report = scale.profile()
    executed = report["steps"][0]["executed"]
    least = 2 * ROWS * COLUMNS * 4
    assert (executed["launches"], executed["bytes"], executed["sectors"]) == (1, least, least / 32), report
    assert report["executed"]["executed_us"] == executed["executed_us"] >= report["steps"][0]["modelled_us"]
    assert "measured_us" not in report["steps"][0]
    assert scale.profile() == report, "another run of the same program says something else"


def test_a_program_is_profiled_as_its_folder_is(scale: Program) -> None:
    words = ("--device", "emulated", "--libraries", "off", "--target", "sm_90a", "--json")
    report = json.loads(scale.call("profile", scale.source, *words))
    assert report == scale.profile("--target", "sm_90a")


def test_what_somebody_wrote_is_counted(scale: Program) -> None:
    scale.write_step(step())
    straight = scale.profile()["steps"][0]["executed"]
    scale.write_step(step(f"i % {ROWS} * {COLUMNS} + i / {ROWS}"))
    scattered = scale.profile()["steps"][0]["executed"]
    assert scattered["bytes"] == straight["bytes"]
    assert scattered["sectors"] == 8 * straight["sectors"]
    assert scattered["executed_us"] > straight["executed_us"]


@pytest.mark.parametrize("text, words", [
    (step(before='__attribute__((no_sanitize("thread")))'), "no_sanitize"),
    (step(before="#define JOIN(A, B) A##B\nextern \"C\" void JOIN(__ts, an_init)() __attribute__((weak));",
          addend="JOIN(__ts, an_init) == nullptr ? 0.5F : 0.25F"), "other results"),
    (step(at="missing"), "do not compile"),
    (step(at="i * 1000000"), "not memory of this program"),
], ids=["unmarked", "sees_the_count", "does_not_build", "crashes"])
def test_what_cannot_be_counted_has_no_time(scale: Program, text: str, words: str) -> None:
    scale.write_step(text)
    report = scale.profile()
    assert "executed" not in report["steps"][0]
    assert words in report["executed"]["refusal"], report["executed"]


def test_reduced_sizes_tell_of_the_declared_ones(build: pathlib.Path, loaded_python: str,
                                                 tmp_path: pathlib.Path) -> None:
    program = Program(build, loaded_python, tmp_path, PRODUCT)
    full, small = program.profile("--scale", "full"), program.profile("--scale", "small")
    assert full["executed"]["sizes"] == "declared sizes" and small["executed"]["sizes"].startswith("reduced sizes")
    for one, other in zip(full["steps"], small["steps"]):
        if one["phase"] == "prepare":
            continue
        for name in ("launches", "bytes", "sectors", "wavefronts", "tensor_flops", "executed_us"):
            ours, theirs = one["executed"][name], other["executed"][name]
            assert theirs == pytest.approx(ours, rel=0.3), (one["name"], name, ours, theirs)


def test_ranks() -> None:
    assert spearman([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 1, 2, 3], [1, 2, 3, 4]) == pytest.approx(0.9487, abs=1e-4)
