# SPDX-License-Identifier: Apache-2.0
"""optimize --coder react --answer module: a ModelNew written with tools, judged as one. 15 seconds of one core."""

from __future__ import annotations

import pathlib
import re

import pytest

from .conftest import Workplace
from .react_model import ReactModel

SOURCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.randn(6, 24)]

def get_init_inputs():
    return []
"""
BY_PYTORCH = """
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.clamp(min=0)
"""
BY_A_KERNEL = r'''
import torch
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void relu_kernel(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) { y[i] = x[i] != x[i] || x[i] > 0.0f ? x[i] : 0.0f; }
}
torch::Tensor own_relu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int count = static_cast<int>(x.numel());
  relu_kernel<<<(count + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), count);
  return y;
}
"""
extension = load_inline(name="own", cpp_sources="torch::Tensor own_relu(torch::Tensor x);", cuda_sources=CUDA,
                        functions=["own_relu"])

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return extension.own_relu(x)
'''
VERIFY = ("verify", {"candidate": "model_new.py", "program": "elsewhere.py"})
FINISH = ("finish", {"summary": "a module"})
KEPT = pathlib.Path("by_agents", "model_new.py")


@pytest.fixture
def place(tmp_path: pathlib.Path) -> Workplace:
    (tmp_path / "model.py").write_text(SOURCE)
    return Workplace(tmp_path)


def written(text: str) -> tuple[str, dict]:
    return "write", {"path": "model_new.py", "content": text}


def run(place: Workplace, model: ReactModel, *more: str):
    with model.server() as server:
        return place.optimize("--coder", "react", "--answer", "module", "--llm", server.url, "--model", "m", *more)


def test_one_that_leaves_the_work_to_pytorch_is_refused_and_the_expert_stays(place: Workplace) -> None:
    model = ReactModel(("read", {"path": "model_new.py", "lines": 20}), written(BY_PYTORCH), VERIFY, FINISH)
    ended = run(place, model)
    assert ended.status == 0, ended.error
    assert "as one file in KernelBench's form" in model.results[1], "it begins as the expert's program"
    assert "`model_new.py`" in model.asked[0]["messages"][0]["content"]
    # A hidden verdict is told as artifact/report/feedback.h says: which rule it was stays with those who judge.
    assert "It breaks a rule of the task." in model.results[3], model.results[3]
    assert "clamp" not in model.results[3] and "aten" not in model.results[3]
    assert place.state()["plans"][0]["sub_tasks"][0]["kind"] == "module"
    attempts = place.state()["attempts"]
    assert [each["outcome"] for each in attempts] == ["wrong"] and attempts[0]["changed"] == ["model_new"]
    agents = ended.json["agents"]
    assert agents["module"] is None and not (place.out / KEPT).exists()
    assert {each["author"] for each in agents["steps"]} == {"expert"} and ended.json["verdict"]["kind"] == "ok"
    run_id = place.runs[0].name
    assert place.command("runs", "replay", run_id, "--json").status == 0


def test_no_python_is_told_and_nothing_else_is_taken(place: Workplace) -> None:
    step = "expert/steps/00_relu.cu"
    spoilt = ("write", {"path": step, "content": "int broken("})
    model = ReactModel(spoilt, written("import torch\n\nclass ModelNew(:\n"), VERIFY, FINISH)
    ended = run(place, model)
    assert ended.status == 0, ended.error
    said = "model_new.py:3: model_new.py is not valid Python: invalid syntax, at `class ModelNew(:`."
    assert f"It does not compile.\n{said}" in model.results[3], model.results[3]
    assert not re.search(r"/tmp/|stitchcuda-shown", model.results[3]), "where it was judged says nothing to its author"
    assert [each["outcome"] for each in place.state()["attempts"]] == ["not_compiled"]
    assert ended.json["agents"]["session"]["changed_steps"] == 1, "the module alone is an answer"


@pytest.mark.long
def test_one_with_a_kernel_of_its_own_is_right_and_left_beside_the_program(place: Workplace) -> None:
    model = ReactModel(written(BY_A_KERNEL), VERIFY, FINISH)
    ended = run(place, model)
    assert ended.status == 0, ended.error
    assert [each["outcome"] for each in place.state()["attempts"]] == ["right"], model.results
    module = ended.json["agents"]["module"]
    assert module == {"file": str(KEPT), "attempt": 1, "is_faster": False}, "nothing tells its time without a GPU"
    assert (place.out / KEPT).read_text() == BY_A_KERNEL
    assert place.command("verify", "out", "--device", "emulated").status == 0


def test_it_needs_a_coder_with_tools(place: Workplace) -> None:
    ended = place.command("optimize", "model.py", "--answer", "module", "--model", "expert", "--out", "out")
    assert ended.status == 2 and "--answer module is for a Coder with tools" in ended.error
    assert not place.out.exists()
