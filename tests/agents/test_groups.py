# SPDX-License-Identifier: Apache-2.0
"""A model writes a group of nodes that is no step of the expert's: it replaces what it is faster than."""

from __future__ import annotations

import json
import re

from .conftest import Workplace
from .model import Model, cannot, fenced, material

# All of softmax(relu(x * scale)).sum(dim=0) in one launch of one block.
JOINED = """#include "stitch/step.h"

// scratch: 8 * x[0]

namespace {

struct Extents {
  int64_t rows;
  int64_t columns;
};

__device__ float positive(float x, float scale) { return fmaxf(x * scale, 0.0f); }

__global__ void softmax_sum(const float* x, const float* scale, float2* rows, float* sums, Extents extents) {
  for (int64_t row = threadIdx.x / 32; row < extents.rows; row += blockDim.x / 32) {
    float largest = 0.0f;
    for (int64_t i = threadIdx.x % 32; i < extents.columns; i += 32) {
      largest = fmaxf(largest, positive(x[row * extents.columns + i], scale[i]));
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    }
    float sum = 0.0f;
    for (int64_t i = threadIdx.x % 32; i < extents.columns; i += 32) {
      sum += expf(positive(x[row * extents.columns + i], scale[i]) - largest);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
      rows[row] = make_float2(largest, sum);
    }
  }
  __syncthreads();
  for (int64_t i = threadIdx.x; i < extents.columns; i += blockDim.x) {
    float sum = 0.0f;
    for (int64_t row = 0; row < extents.rows; ++row) {
      sum += expf(positive(x[row * extents.columns + i], scale[i]) - rows[row].x) / rows[row].y;
    }
    sums[i] = sum;
  }
}

}  // namespace

extern "C" int step_00(const StepArgs* args, cudaStream_t stream) {
  const auto extents = stitch::extents_of<Extents>(args);
  softmax_sum<<<1, 256, 0, stream>>>(static_cast<const float*>(args->tensors[0]),
                                     static_cast<const float*>(args->tensors[1]), static_cast<float2*>(args->scratch),
                                     static_cast<float*>(args->tensors[2]), extents);
  return cudaGetLastError();
}
"""
FORGETS_SCALE = JOINED.replace("fmaxf(x * scale, 0.0f)", "fmaxf(x, 0.0f)")
OVERFLOWS = JOINED.replace(" - largest)", ")").replace(" - rows[row].x)", ")")  # right for inputs as they are given


def lacking(prompt: str) -> list[str]:
    """The lines that a contract which was sent back has to have."""
    return re.findall(r'lacks "([^"]+)"', prompt)


def one_group(prompt: str) -> dict:
    plan = json.loads(material(prompt, "the expert"))
    nodes = [node for sub_task in plan["sub_tasks"] for node in sub_task["nodes"]]
    joined = {"name": "all of it", "kind": "step", "nodes": nodes, "contract": lacking(prompt),
              "hint": "two passes over the rows in one launch", "expected_gain": "a launch", "risk": "none"}
    return {**plan, "summary": "everything in one launch", "sub_tasks": [joined]}


def both(prompt: str) -> str:
    """The expert's cut and one group; the first time without the group's contract, alone."""
    joined = one_group(prompt)
    if not lacking(prompt):
        return json.dumps(joined)
    return json.dumps({"schema": "stitchcuda.agent_plans/1",
                       "plans": [json.loads(material(prompt, "the expert")), joined]})


def test_a_group_of_all_nodes_replaces_the_experts_steps(place: Workplace) -> None:
    model = Model(lambda _: fenced(FORGETS_SCALE), lambda _: fenced(JOINED), lambda _: fenced(OVERFLOWS), cannot,
                  planner=both)
    with model.server() as server:
        ended = place.optimize("--llm", server.url, "--model", "m")
        assert ended.status == 0, ended.error
        state = place.state()
        asked = len(model.asked)
        # From behind the attempt that replaced the incumbent on: its text is taken over again, and the rest is known.
        forked = place.command("runs", "resume", place.runs[0].name, "--from", "8", "--json")
    assert forked.status == 0, forked.error
    assert place.state()["incumbent"] == state["incumbent"] and len(model.asked) == asked
    assert [plan["summary"] for plan in state["plans"]] == ["everything in one launch"]
    assert len(state["passed_over"]) == 1 and state["passed_over"][0]["version"] == 1
    assert state["plans"][0]["modelled_us"] < state["passed_over"][0]["modelled_us"]

    first, second, third, fourth = [prompt for role, prompt in model.asked if role == "coder"]
    assert "that lacks the kernels alone" in first and "struct Extents" in material(first, "the contract")
    assert "(the expert" not in first and "steps/00" in first, "how the nodes are computed now"
    told = material(second, "the check")
    assert re.search(r"draw 0, \w+\[\d+\]: got [-0-9.e]+, expected [-0-9.e]+", told), told
    assert "gives wrong answers" in second and FORGETS_SCALE.splitlines()[-3] in second
    assert "executed" in third

    hidden = material(fourth, "the check")
    assert "2 draws at step 0, declared shapes: passed" in hidden, hidden
    assert "got" not in hidden and "draw 0" not in hidden, "of a hidden draw no place and no value is told"

    wrong, right, overflows = state["attempts"]
    assert [each["outcome"] for each in state["attempts"]] == ["wrong", "right", "wrong"]
    assert not overflows["replaced_incumbent"]
    assert right["replaced_incumbent"] and right["gained_us"] > 0 and len(right["replaced"]) == 2
    steps = ended.json["agents"]["steps"]
    assert [each["author"] for each in steps] == ["m"] and steps[0]["gained_us"] == right["gained_us"]
    assert ended.json["agents"]["time"] == {"kind": "executed", "us": right["program"]["us"],
                                            "gained_us": right["gained_us"]}
    assert ended.json["steps"] == 1 and ended.json["verdict"]["kind"] == "ok"

    name = steps[0]["step"]
    assert "softmax_sum<<<1, 256" in (place.out / "steps" / f"{name}.cu").read_text()
    plan = json.loads((place.out / "plan.json").read_text())
    assert [step["skeleton"] for step in plan["steps"]] == ["written"]
    again = place.command("verify", "out", "--device", "emulated", "--json")
    assert again.status == 0 and again.json["verdict"]["kind"] == "ok"
    assert len(again.json["report"]["shapes"]) > 1, "hidden shapes run the same text"
