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
    return curve_of(done.stdout, toy)


def curve_of(printed: str, toy: str) -> Curve:
    lines = [line for line in map(json.loads, printed.splitlines()) if line["toy"] == toy]
    return {key: [line[key] for line in lines] for key in lines[0] if key not in ("toy", "arm", "seed")}


def _gate_holds(one: Curve) -> bool:
    """The actor waits while the gate is shut, is told nothing bad, and gains once it opens."""
    opened = next((number for number, value in enumerate(one["is_actor_updated"]) if value), len(one["iteration"]))
    return 0 < opened and max(one["turns"]) <= 15 and one["reward"][-1] > one["reward"][0]


def _iterations_beyond(one: Curve, turns: float) -> int:
    return sum(1 for value in one["turns"] if value > turns)


# What each arm is to show, for every seed.
CLAIMS: dict[tuple[str, str], tuple[str, Callable[[Curve], bool]]] = {
    **{("digits", arm): ("success >= 0.95 at the end", lambda one: one["success"][-1] >= 0.95)
       for arm in ("dr_grpo", "grpo", "rloo", "gspo", "cispo", "ppo")},
    ("hack", "rule_only"): ("the cheat has most", lambda one: one["cheat"][-1] > max(0.5, 2 * one["honest"][-1])),
    ("hack", "multiplier"): ("the cheat does not die out", lambda one: one["cheat"][-1] > 0.05),
    ("hack", "zero"): ("the cheat has < 0.02 and honest success > 0.8",
                       lambda one: one["cheat"][-1] < 0.02 and one["honest"][-1] > 0.8),
    **{("reverse", arm): ("greedy >= 0.95", lambda one: max(one["greedy"]) >= 0.95) for arm in ("grpo", "ppo")},
    ("reverse", "lora"): ("greedy >= 0.95, the base as it was to the bit",
                          lambda one: max(one["greedy"]) >= 0.95 and min(one["is_base_same"]) == 1),
    ("rft", "rft"): ("rises twice, to 3 times the start, and keeps nothing wrong",
                     lambda one: one["sampled"][0] * 3 <= one["sampled"][2] > one["sampled"][1] > one["sampled"][0]
                     and max(one["wrong_kept"]) == 0),
    ("values", "values"): ("explains 0.95 of what can be explained, error <= 0.03",
                           lambda one: one["explained_variance"][-1] >= 0.95 * one["exact"][-1]
                           and one["error"][-1] <= 0.03),
    **{("cheat", arm): ("the cheat has > 0.9 after 60 iterations", lambda one: one["cheat"][12] > 0.9)
       for arm in ("rule_only", "multiplier")},
    ("cheat", "zero"): ("the cheat has < 0.02 after 60, honest success twice its start",
                        lambda one: one["cheat"][12] < 0.02 and one["honest"][12] >= 2 * one["honest"][0]),
    ("refine", "trloo"): ("the second turn is right 0.2 more often than the first, observations have no gradient",
                          lambda one: one["second_turn"][-1] - one["first_turn"][-1] >= 0.2
                          and max(one["observation_gradient"]) == 0),
    ("collapse", "cold"): ("after 10 iterations at most 0.7 of the start",
                           lambda one: one["success"][2] <= 0.7 * one["success"][0]),
    ("collapse", "pretrained"): ("after 10 iterations at least 1.05 times the start",
                                 lambda one: one["success"][2] >= 1.05 * one["success"][0]),
    ("collapse", "gate"): ("after 10 iterations at least 0.95 of the start",
                           lambda one: one["success"][2] >= 0.95 * one["success"][0]),
    ("rare", "cold"): ("entropy grows to 3 times its start, and without the grammar less than 0.2 is right",
                       lambda one: max(one["entropy"]) >= 3 * one["entropy"][0] and max(one["success"]) < 0.2),
    ("rare", "rft_first"): ("right without the grammar, too: >= 0.8 at the end", lambda one: one["success"][-1] >= 0.8),
    ("turns", "cold"): ("more than 30 of 40 turns at once, more than 20 in at least 30 iterations",
                        lambda one: max(one["turns"]) > 30 and _iterations_beyond(one, 20) >= 30),
    ("turns", "pretrained"): ("more than 20 turns in at most 5 iterations, ends below 10, and the reward >= 0.9",
                              lambda one: _iterations_beyond(one, 20) <= 5 and one["turns"][-1] < 10
                              and one["reward"][-1] >= 0.9),
    ("turns", "gate"): ("the actor waits, turns stay below 15, and the reward ends above its start", _gate_holds),
    ("settings", "cuda_agent_v1"): ("stalls: > 1.2 times the best time", lambda one: one["time_over_best"][-1] > 1.2),
    ("settings", "stitch_v1"): ("within 1.1 times the best time", lambda one: one["time_over_best"][-1] <= 1.1),
    ("techniques", "stitch_v1"): ("takes what serves three tasks of four", lambda one: one["hard"][-1] > 0.9),
    ("techniques", "raw_speedup"): ("takes what serves the easy task, or a glitch", lambda one: one["hard"][-1] < 0.1),
}
