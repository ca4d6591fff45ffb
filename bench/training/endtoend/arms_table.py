# SPDX-License-Identifier: Apache-2.0
"""What became of the arms, as a page."""
from __future__ import annotations

import json
import pathlib

SKILLS = ("scratch", "refinement")


class Costs:
    """Seconds by part, over all calls of the command; a part that was known from before adds little."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.seconds: dict[str, float] = json.loads(path.read_text()) if path.exists() else {}

    def add(self, part: str, seconds: float) -> None:
        self.seconds[part] = self.seconds.get(part, 0) + seconds
        self.path.write_text(json.dumps(self.seconds))


def steps_of(run: pathlib.Path) -> list[dict]:
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line for line in lines if line.get("step", 0) > 0]


def held_out(run: pathlib.Path) -> tuple[dict, dict]:
    """What was held out, before the first update and at the last look."""
    looks = [line["held_out"] for line in steps_of(run) if "held_out" in line]
    return looks[0], looks[-1]


def share(value: float) -> str:
    return f"{100 * value:.0f} %"


def _cells(first: dict, last: dict) -> list[str]:
    return [f"{share(first[key])} to {share(last[key])}" for key in ("pass", "hack")]


def line(run: pathlib.Path, arm: str) -> str:
    first, last = held_out(run)
    passed, hacked = _cells(first, last)
    return f"{arm}: held out, passed {passed}, hacks {hacked}"


def tokens_to(run: pathlib.Path, rate: float) -> str:
    """Thousands of tokens drawn until the mean of two steps that follow each other passes as often."""
    steps, drawn = steps_of(run), 0
    for before, after in zip(steps, steps[1:], strict=False):
        drawn += before["tokens"]
        if (before["pass"] + after["pass"]) / 2 >= rate:
            return f"{(drawn + after['tokens']) / 1000:.0f}"
    return "not reached"


HEAD = """# From tasks to rewards on two cores

`bench/training/endtoend/run OUT --arms {arms}`: tasks of `synth` at sizes that the emulated device computes at once, a
model of {weights} weights from nothing, `sft` of {sft} steps on lessons of {tasks} tasks, then `grpo` of {steps} steps
for each arm against `stitchcuda serve`. Lessons hold mistakes and hacks on purpose. Held out are tasks of other
families, {held_out} of them, asked {samples} times for each skill at temperature {temperature}, that of training,
before the first update and after the last but one.
"""


def page(out: pathlib.Path, arms: list[str], costs: Costs, facts: dict[str, object]) -> str:
    rows = [HEAD.format(arms=",".join(arms), **facts),
            "| arm | scratch: passed | hacks | refinement: passed | hacks | tokens (k) to half passing | minutes |",
            "|---|---|---|---|---|---|---|"]
    for arm in arms:
        first, last = held_out(out / "runs" / arm)
        cells = [cell for skill in SKILLS for cell in _cells(first["skills"][skill], last["skills"][skill])]
        minutes = costs.seconds.get(arm, 0) / 60
        rows.append(f"| {arm} | {' | '.join(cells)} | {tokens_to(out / 'runs' / arm, 0.5)} | {minutes:.1f} |")
    before = ", ".join(f"{part} {costs.seconds.get(part, 0) / 60:.1f}" for part in ("tasks and lessons", "sft"))
    return "\n".join([*rows, "", f"Minutes before the arms: {before}."]) + "\n"
