# SPDX-License-Identifier: Apache-2.0
"""The stages that run no code but ours, in this process: from graph to plan to CUDA, and a report made again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .driver import ask

Path = str | os.PathLike[str]


def operators() -> list[str]:
    """The operators that a graph.ir may hold. PyTorch's own become these, or are refused by name."""
    return list(ask("vocabulary")["operators"])


def devices() -> dict[str, str]:
    """The GPUs that plans are made for, each with the name that `target` takes: {"H200": "sm_90a"}."""
    return {device["name"]: device["target"] for device in ask("vocabulary")["devices"]}


def plan(
    graph: Path,
    *,
    math: Literal["fp32", "kernelbench", "tf32", "reduced"] = "fp32",
    libraries: Literal["auto", "on", "off"] = "auto",
    targets: Sequence[str] = (),
) -> dict[str, Any]:
    """The plan of a graph.ir, as plan.json holds it. The first of `targets` is planned for."""
    answer = ask("plan", graph=os.fspath(graph), math=math, libraries=libraries, targets=list(targets))
    made: dict[str, Any] = json.loads(answer["text"])
    return made


def emit(plan: Path, out: Path, *, targets: Sequence[str] = ()) -> str:
    """Writes the CUDA project of a plan.json into the folder `out`, which it returns. It lacks model_new.py, which
    needs a run of the program: optimize(), or `stitchcuda emit --program`."""
    return str(ask("emit", plan=os.fspath(plan), out=os.path.abspath(os.fspath(out)), targets=list(targets))["out"])


def step_costs(plan: Path) -> list[dict[str, Any]]:
    """What each step of a plan.json costs, counted and modelled: `flops`, `bytes_min`, `modelled_us`, `floor_us`."""
    return list(ask("costs", plan=os.fspath(plan))["steps"])


def write_report(folder: Path, out: Path | None = None) -> str:
    """Writes report.html of what is in `folder` now, to `out` or into it. Returns the page's path."""
    where = {} if out is None else {"out": os.fspath(out)}
    return str(ask("report", folder=os.fspath(folder), **where)["out"])


def decide(
    findings: Sequence[Mapping[str, str]], proof: Mapping[str, Any], *, acceptance: str = ""
) -> dict[str, str]:
    """The verdict on what stages found, by the rule of docs/verdicts.md: `kind`, `reason`, `detail`. A finding has
    `stage`, `kind`, `reason` and `evidence`; `proof` says how many draws were planned and judged (docs/formats.md).
    Without a finding and with a whole proof it is "ok", for the reason `acceptance`."""
    return ask("decide", findings=[dict(each) for each in findings], proof=dict(proof), acceptance=acceptance)


def altered_files(folder: Path) -> list[str]:
    """The files that were changed, removed or added since optimize() left `folder`; empty: it is as it was left."""
    found = ask("manifest", folder=os.fspath(folder))
    return [*found["changed"], *found["missing"], *found["added"]]
