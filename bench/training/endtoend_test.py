# SPDX-License-Identifier: Apache-2.0
"""The parts of the tiny run from tasks to rewards that need no model. Cost: nothing; endtoend/run takes minutes."""
from __future__ import annotations

import json
import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "endtoend"))
import expert  # noqa: E402
import lessons  # noqa: E402
import arms_table  # noqa: E402

STEP = """
constexpr float kMulFactor = 0.6f;
  __device__ void apply(const stitch::Index<1>& at) const {
    const auto a_lanes = stitch::load_float_lanes<kLanes>(a + at[0]);
    for (int lane = 0; lane < kLanes; ++lane) {
      const float relu = stitch::relu(a_lanes[lane]);
      const float mul =
          relu * kMulFactor;
      mul_out_lanes[lane] = mul;
    }
    stitch::store_float_lanes(mul_out + at[0], mul_out_lanes);
"""
PROGRAM = '"""relu, mul."""\n\nsize = 4096\n\n\ndef get_inputs():\n    return [torch.rand(size, size)]\n'
TASK = {"id": "000001_relu", "file": "relu.py", "family": "activation", "split": "train", "reduced": {"size": 3}}


@pytest.fixture
def pointwise() -> expert.Pointwise:
    read = expert.read_step(STEP, (3, 5), {"relu": "x = F.relu(a)", "m": "?"})
    assert read is not None
    return read


def test_a_step_is_read_as_what_it_computes(pointwise: expert.Pointwise) -> None:
    assert pointwise.statements == ("const float v1 = (a < 0.0f ? 0.0f : a);", "const float v2 = v1 * 0.6f;")
    assert pointwise.sources == ("x = F.relu(a)", "")
    assert "  // x = F.relu(a)\n  const float v1" in expert.right(pointwise, is_strided=False)
    assert (pointwise.input, pointwise.shape, pointwise.result) == ("a", (3, 5), "v2")


SECOND_INPUT = "    const auto b_lanes = stitch::load_float_lanes<kLanes>(b + at[0]);\n"


@pytest.mark.parametrize(("what", "other"), [
    ("two inputs", STEP.replace("    for", f"{SECOND_INPUT}    for")),
    ("unknown helper", STEP.replace("stitch::relu(", "stitch::erfcx(")), ("no map", "a row kernel")])
def test_what_is_more_than_a_map_of_one_tensor_is_left_out(what: str, other: str) -> None:
    assert expert.read_step(other, (3, 5), {}) is None, what


def test_each_way_is_another_file_and_says_what_it_should(pointwise: expert.Pointwise) -> None:
    good = [expert.right(pointwise, is_strided=each) for each in (False, True)]
    spoilt = {name: make(pointwise) for name, make in expert.SPOILT.items()}
    cheat = expert.on_the_host(pointwise)
    assert len({*good, *spoilt.values(), cheat}) == 6
    assert all('INPUT("a", F32, 3, 5), OUTPUT("0", F32, 3, 5)\n' in each for each in (*good, cheat))
    assert "return v1;" in spoilt["unfinished"] and "if (i < n)" not in spoilt["unguarded"]
    assert "v1 * 0.6f\n" in spoilt["cut_short"] and "__global__" not in cheat


def test_lessons_and_prompts_are_of_the_reduced_program(pointwise: expert.Pointwise, tmp_path: pathlib.Path) -> None:
    (tmp_path / "relu.py").write_text(PROGRAM)
    (tmp_path / "programs").mkdir()
    small = lessons.shrink(tmp_path, TASK, tmp_path / "programs")
    assert small.name == "000001_relu.py" and "size = 3\n" in small.read_text()
    assert lessons.shape_of(small.read_text()) == (3, 3)
    kept = lessons.Solved({**TASK, "id": "000002_held", "split": "validation"}, small.read_text(), pointwise)
    lessons.write([lessons.Solved(TASK, small.read_text(), pointwise), kept], tmp_path, random.Random(1))
    read = {path.stem: list(map(json.loads, path.read_text().splitlines())) for path in tmp_path.glob("*.jsonl")}
    assert [line["skill"] for line in read["lessons"]].count("scratch") == 16 and len(read["lessons"]) == 28
    assert {line["task"] for line in read["lessons"]} == {"000001_relu"}, "what is held out teaches nothing"
    assert [line["skill"] for line in read["held_out"]] == ["scratch", "refinement"]
    assert all(line["skill"] == "scratch" for line in read["scratch"])
    assert "Mend it." in read["train"][1]["messages"][0]["content"]


def test_the_page_has_what_was_held_out_before_and_after(tmp_path: pathlib.Path) -> None:
    def look(passed: float, hacked: float) -> dict:
        both = {"pass": passed, "hack": hacked}
        return {**both, "skills": {"scratch": both, "refinement": both}}

    run = tmp_path / "runs" / "full"
    run.mkdir(parents=True)
    lines = [{"step": 0}, {"step": 1, "pass": 0.25, "tokens": 1000, "held_out": look(0.25, 0.5)},
             {"step": 2, "pass": 0.5, "tokens": 2000},
             {"step": 3, "pass": 0.75, "tokens": 3000, "held_out": look(0.75, 0)}]
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    costs = arms_table.Costs(tmp_path / "costs.json")
    costs.add("full", 60)
    costs.add("full", 30)
    facts = dict.fromkeys(("weights", "sft", "tasks", "steps", "held_out"), 1)
    text = arms_table.page(tmp_path, ["full"], costs, facts)
    assert "| full | 25 % to 75 % | 50 % to 0 % | 25 % to 75 % | 50 % to 0 % | 6 | 1.5 |" in text
    assert arms_table.tokens_to(run, 0.9) == "not reached"
