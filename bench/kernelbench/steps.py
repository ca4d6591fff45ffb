# SPDX-License-Identifier: Apache-2.0
"""What an answer of `stitchcuda`, its plan and the times mean for a record."""

from __future__ import annotations

import json
import pathlib

STATUS_OF_VERDICT = {
    "ok": "ok",
    "wrong": "wrong",
    "cheated": "wrong",
    "invalid_time": "wrong",
    "timed_out": "too slow",
    "unsupported": "refused",
    "ill_conditioned": "refused",
}
REFUSALS = ("program_invalid", "unsupported_operator", "file_invalid")
BASELINES = {"eager": "eager", "graph": "eager, graph", "compile": "compile"}
ALL_BASELINES = (*BASELINES.values(), "max-autotune")  # what bench/programs can time
OURS = ("ours", "ours, graph")


def judged(answer: dict) -> dict:
    """Status, sentence and kind of verdict."""
    error = answer.get("error")
    if error:
        code = error.get("code")
        slow = error.get("is_slow") or code == "timeout"
        status = "refused" if code in REFUSALS else "too slow" if slow else "failed"
        return {"status": status, "sentence": error["sentence"], "verdict": None}
    kind = answer["verdict"]["kind"]
    sentence = answer.get("sentence") or answer["verdict"].get("reason", "")
    return {"status": STATUS_OF_VERDICT.get(kind, "failed"), "sentence": sentence, "verdict": kind}


def planned(path: pathlib.Path) -> list[dict]:
    """Each step's kind and setting."""
    plan = json.loads(path.read_text())
    steps = []
    for step in plan["steps"]:
        kept = {name: step[name] for name in ("name", "phase", "skeleton", "math", "arithmetic") if name in step}
        kept |= {"variant": step["setting"]["variant"], "splits": step["setting"].get("splits", 1)}
        steps.append({**kept, "estimated_us": step.get("estimated_us"), "measured_us": step.get("measured_us")})
    return steps


def tuner_said(answer: dict) -> dict:
    """What `tune --json` says beside the plan: what was timed, and what was left."""
    return {name: answer[name] for name in ("known", "measured", "left", "whole_plans", "against_untuned")
            if name in answer}


def has_constants(path: pathlib.Path) -> bool:
    """Whether the program has tensors that forward makes of literals."""
    plan = json.loads(path.read_text())
    return any(buffer["kind"] == "constant" for buffer in plan["buffers"])


def compared(us: dict) -> dict:
    """Ours, by plain launches or as a graph, whichever is faster, beside each baseline and the best of them."""
    ours = min((us[name]["median"], name) for name in OURS if name in us)
    theirs = {name: us[name]["median"] for name in BASELINES.values() if name in us}
    ratio = {name: round(median / ours[0], 4) for name, median in theirs.items()}
    best = min(theirs, key=theirs.get, default=None)
    if best is not None:
        ratio["best"] = ratio[best]
    return {"ours_us": ours[0], "ours_as": ours[1], "best_baseline": best, "ratio": ratio}
