# SPDX-License-Identifier: Apache-2.0
"""Runs the toys and says of each arm and seed whether it did what it is to show."""
from __future__ import annotations

import json
import pathlib
import subprocess
from collections.abc import Callable, Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = "stitchcuda-training-toys"

Curve = dict[str, list[float]]


def built(build: pathlib.Path) -> pathlib.Path:
    subprocess.run(["ninja", "-C", build, PROGRAM], check=True, stdout=subprocess.DEVNULL)
    return build / PROGRAM


def arms(program: pathlib.Path) -> Iterator[tuple[str, str]]:
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    yield from (tuple(line.split(" ", 1)) for line in listed.splitlines())


def curve(program: pathlib.Path, toy: str, arm: str, seed: int) -> Curve:
    done = subprocess.run([program, toy, arm, str(seed)], capture_output=True, text=True, check=True)
    lines = [line for line in map(json.loads, done.stdout.splitlines()) if line["toy"] == toy]
    return {key: [line[key] for line in lines] for key in lines[0] if key not in ("toy", "arm", "seed")}


def _gate_holds(one: Curve) -> bool:
    """The actor waits while the gate is shut, is told nothing bad, and ends up good."""
    opened = next((number for number, value in enumerate(one["is_actor_updated"]) if value), len(one["iteration"]))
    return opened > 0 and max(one["turns"]) <= 15 and one["reward"][-1] >= 0.9


# What each arm is to show, for every seed.
CLAIMS: dict[tuple[str, str], tuple[str, Callable[[Curve], bool]]] = {
    **{("digits", arm): ("success >= 0.95 at the end", lambda one: one["success"][-1] >= 0.95)
       for arm in ("dr_grpo", "grpo", "rloo", "gspo", "cispo", "ppo")},
    ("hack", "rule_only"): ("the cheat has most", lambda one: one["cheat"][-1] > max(0.5, 2 * one["honest"][-1])),
    ("hack", "multiplier"): ("the cheat does not die out", lambda one: one["cheat"][-1] > 0.05),
    ("hack", "zero"): ("the cheat has < 0.02 and honest success > 0.8",
                       lambda one: one["cheat"][-1] < 0.02 and one["honest"][-1] > 0.8),
    ("turns", "cold"): ("turns grow beyond 14", lambda one: max(one["turns"]) > 14),
    ("turns", "pretrained"): ("turns stay below 12, and the reward ends >= 0.9",
                              lambda one: max(one["turns"]) <= 12 and one["reward"][-1] >= 0.9),
    ("turns", "gate"): ("the actor waits, turns stay below 15, and the reward ends >= 0.9", _gate_holds),
    ("settings", "cuda_agent_v1"): ("stalls: > 1.2 times the best time", lambda one: one["time_over_best"][-1] > 1.2),
    ("settings", "stitch_v1"): ("within 1.1 times the best time", lambda one: one["time_over_best"][-1] <= 1.1),
    ("techniques", "stitch_v1"): ("takes what serves three tasks of four", lambda one: one["hard"][-1] > 0.9),
    ("techniques", "raw_speedup"): ("takes what serves the easy task, or a glitch", lambda one: one["hard"][-1] < 0.1),
}
