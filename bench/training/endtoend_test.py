# SPDX-License-Identifier: Apache-2.0
"""The parts of the tiny run from tasks to rewards that need no model. Cost: nothing; endtoend/run takes minutes."""
from __future__ import annotations

import dataclasses
import json
import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "endtoend"))
import expert  # noqa: E402
import lessons  # noqa: E402
import recombine  # noqa: E402
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
    facts = dict.fromkeys(("weights", "sft", "tasks", "steps", "held_out", "samples", "temperature"), 1)
    text = arms_table.page(tmp_path, ["full"], costs, facts)
    assert "| full | 25 % to 75 % | 50 % to 0 % | 25 % to 75 % | 50 % to 0 % | 6 | 1.5 |" in text
    assert arms_table.tokens_to(run, 0.9) == "not reached"


def chained(*lines: tuple[str, tuple[str, ...]]) -> tuple[str, expert.Pointwise]:
    """A program of these lines with its arithmetic, as the expert has it."""
    body = "".join(f"        {source}\n" for source, _ in lines)
    text = f"    def forward(self, x):\n{body}        return x\n"
    sources = tuple(source for source, statements in lines for _ in statements)
    statements = tuple(statement for _, each in lines for statement in each)
    return text, expert.Pointwise("x", (2, 3), statements, sources, f"v{len(statements)}")


ABS = ("x = torch.abs(x)", ("const float v1 = fabsf(x);",))
THEN = ("x = x * torch.tanh(x)", ("const float v2 = tanhf(v1);", "const float v3 = v1 * v2;"))


def test_lines_are_joined_again_to_the_program_that_they_are_of() -> None:
    program, pointwise = chained(ABS, THEN)
    lines = recombine.lines_of(program, pointwise)
    assert lines == [(ABS[0], ("const float {0} = fabsf({x});",)),
                     (THEN[0], ("const float {0} = tanhf({x});", "const float {1} = {x} * {0};"))]
    chain = [recombine.Line(*line, "k") for line in lines]
    assert recombine.joined(chain, program, pointwise) == (program, pointwise)
    text, other = recombine.joined(chain[::-1], program, pointwise)
    assert other.statements == ("const float v1 = tanhf(x);", "const float v2 = x * v1;", "const float v3 = fabsf(v2);")
    assert other.result == "v3" and text.index("tanh") < text.index("abs")


def test_what_is_not_line_for_line_gives_no_lines() -> None:
    program, pointwise = chained(ABS, THEN)
    reads_earlier = dataclasses.replace(pointwise, statements=(*pointwise.statements[:2], "const float v3 = x * v2;"))
    assert recombine.lines_of(program, reads_earlier) == []
    assert recombine.lines_of(program.replace("abs(x)", "abs(x)\n        x = x + 0.0"), pointwise) == []
    assert recombine.lines_of(program, dataclasses.replace(pointwise, input="a")) == []


def test_nothing_is_made_of_a_family_that_is_held_out() -> None:
    one, two = chained(ABS), chained(("x = torch.exp(x)", ("const float v1 = expf(x);",)))
    known = [("arithmetic", *one), ("exponential", *two), ("arithmetic+exponential", *chained(ABS, THEN))]
    lines = recombine.Lines(known, {"exponential"})
    assert {line.source: line.kind for line in lines.lines} == {ABS[0]: "arithmetic", "x = torch.exp(x)": "exponential"}
    draw = random.Random(1)
    assert all({line.kind for line in lines.drawn(draw)} != {"exponential"} for _ in range(200))
