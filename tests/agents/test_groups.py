# SPDX-License-Identifier: Apache-2.0
"""A model writes a group of nodes that is no step of the expert's: it replaces what it is faster than. In one answer,
or in a workspace, where it takes the steps as one itself."""

from __future__ import annotations

import json
import re
import signal
import time

import pytest

from .conftest import Ended, Workplace
from .model import Model, cannot, fenced, material
from .react_model import ReactModel

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


ON_PROGRAM = {"folder": "expert"}
FINISH = ("finish", {"summary": "one launch"})


def in_workspace(*turns: object) -> ReactModel:
    """Takes both steps as one, writes that, and has the plan read what its file declares."""
    def write(last: str) -> tuple[str, dict]:
        return "write", {"path": re.search(r"written in (expert/steps/\S+\.cu)", last)[1], "content": JOINED}
    return ReactModel(("group", {"folder": "expert", "steps": [0, 1]}), write,
                      ("group", {"folder": "expert", "steps": [0]}), *turns, FINISH)


def adopted(place: Workplace, ended: Ended, author: str = "m") -> None:
    assert ended.status == 0, ended.error
    state = place.state()
    drawn, tried = state["plans"][-1], state["attempts"]
    assert [each["outcome"] for each in tried] == ["right"] and tried[0]["replaced_incumbent"], state["notes"]
    assert len(tried[0]["replaced"]) == 2 and tried[0]["plan"] == len(state["plans"]) == 2
    assert drawn["author"] == "model" and "groups" in drawn["trigger"] and len(drawn["sub_tasks"]) == 1
    agents = ended.json["agents"]
    assert [each["author"] for each in agents["steps"]] == [author]
    assert agents["session"]["files_taken_as_they_were"] == agents["session"]["files_thrown_away"] == 0
    assert ended.json["verdict"]["kind"] == "ok"
    assert "softmax_sum<<<1, 256" in (place.out / "steps" / f"{agents['steps'][0]['step']}.cu").read_text()


def test_a_session_takes_steps_as_one_and_writes_that(place: Workplace) -> None:
    model = in_workspace(("check", ON_PROGRAM), ("verify", ON_PROGRAM), ("profile", ON_PROGRAM))
    with model.server() as server:
        ended = place.optimize("--coder", "react", "--llm", server.url, "--model", "m", "--planner", "expert")
    adopted(place, ended)
    assert "one after another" in model.results[1] and "a group already" in model.results[3]
    assert "passed" in model.results[4] and "right" in model.results[5] and " written " in model.results[6]
    assert place.command("runs", "replay", place.runs[0].name, "--json").status == 0


def test_what_can_be_no_group_is_told_and_edits_of_steps_go_on(place: Workplace) -> None:
    model = ReactModel(("group", {"folder": "expert", "steps": [0, 5]}), ("group", {"folder": "expert"}),
                       ("verify", ON_PROGRAM), FINISH)
    with model.server() as server:
        ended = place.optimize("--coder", "react", "--llm", server.url, "--model", "m", "--planner", "expert")
    assert ended.status == 0, ended.error
    assert "no step 5" in model.results[1] and "no step is named" in model.results[2]
    assert place.state()["attempts"] == [] and len(place.state()["plans"]) == 1


@pytest.mark.parametrize("least", [2, 4])
def test_killed_behind_a_group_the_session_goes_on(place: Workplace, least: int) -> None:
    model = in_workspace(("compile", ON_PROGRAM), ("verify", ON_PROGRAM))
    with model.server() as server:
        process = place.start(*place.words("--coder", "react", "--llm", server.url, "--model", "m", "--planner",
                                           "expert"))
        while len(model.asked) < least and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        ended = place.command("runs", "resume", place.runs[0].name, "--json")
    adopted(place, ended)
