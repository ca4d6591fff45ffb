# SPDX-License-Identifier: Apache-2.0
"""Records of runs that nobody made: folders as stitchcuda leaves them, from a seed, a few thousand a second."""

from __future__ import annotations

import json
import pathlib
import random
import time

TASKS = ("mlp_residual", "attention", "layer_norm", "convolution_then_product", "lstm", "softmax_of_rows")
STATES = ("verified", "verified", "verified", "not verified", "failed", "interrupted")
MATHS = ("fp32", "tf32", "reduced")
NEWEST = 1_795_266_295  # 2026-11-21
BETWEEN = 311  # seconds


def record_of(number: int, chance: random.Random) -> dict:
    moment = time.gmtime(NEWEST - number * BETWEEN)
    task, math, state = chance.choice(TASKS), chance.choice(MATHS), chance.choice(STATES)
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)
    return {
        "schema": "stitchcuda.run/2",
        "id": f"{time.strftime('%Y%m%d-%H%M%S', moment)}-{task}-{chance.randrange(1 << 16):04x}",
        "verb": "optimize",
        "command": ["stitchcuda", "optimize", f"{task}.py", "--math", math],
        "folder": "/home/user/programs",
        "file": f"/home/user/programs/{task}.py",
        "task": task,
        "options": {"math": math},
        "out": f"/home/user/programs/out/{task}",
        "started": started,
        "process": {"pid": 1, "start_ticks": 1, "boot": "of another time"},
        "state": state,
        "ended": started,
        "seconds": round(chance.uniform(5, 400), 1),
        "stage": {"name": "verify", "sentence": "unit 6 of 6"},
        "error": None,
        "verdict": "verified: 28 draws at 3 shapes" if state == "verified" else None,
        "seed": chance.getrandbits(52),
        "modelled_us": round(chance.uniform(2, 900), 2),
        "measured_us": round(chance.uniform(2, 900), 2) if chance.random() < 0.5 else None,
        "device": "NVIDIA H200" if chance.random() < 0.5 else "emulated",
        "math": math,
        "steps": chance.randrange(1, 40),
        "operators": chance.randrange(1, 200),
        "agents": None,
    }


def make(state: pathlib.Path, count: int, seed: int = 1) -> None:
    """`count` folders below STATE/runs."""
    chance = random.Random(seed)
    for number in range(count):
        record = record_of(number, chance)
        folder = state / "runs" / record["id"]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n")
