# SPDX-License-Identifier: Apache-2.0
"""`task.look`, `task.try`, `task.measure`, `task.modules`: programs as tasks, from their text."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any

from ..deadline import deadline
from ..failures import Failure
from ..program.source import parse_source
from ..tasks.loading import load_without_data, told
from ..tasks.measure import measure
from ..tasks.mined_modules import mined_modules
from ..tasks.recorder import record
from ..tasks.syntax import subtrees
from ..tasks.trial import try_task

Progress = Callable[[str], None]
LOOK_SECONDS = 30.0


def look_at_task(arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Arguments: source, name, overrides. What stands in the text, and what a call is made of; nothing is computed:
    tensors are on the meta device. `failed` is why there is no call to look at."""
    text, name, overrides = _program(arguments)
    answer: dict[str, Any] = {"subtrees": subtrees(parse_source(text, name)), "failed": ""}
    try:
        with deadline(LOOK_SECONDS, f"Looking at {name}", name):
            loaded, inputs = load_without_data(text, name, overrides)
            with told("running forward", name):
                recorder, result = record(loaded.module, inputs)
    except Failure as failure:
        return {**answer, "failed": failure.message}
    held = sum(each.numel() * each.itemsize for each in loaded.module.parameters())
    return {
        **answer,
        "signature": recorder.signature(result),
        "operators": recorder.operators,
        "costs": recorder.costs,
        "largest": recorder.largest,
        "parameter_bytes": held,
        "draws": recorder.draws,
    }


def try_program(arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Arguments: source, name, overrides, seed, backends. By which filter it falls, and this process's memory."""
    text, name, overrides = _program(arguments)
    found = try_task(text, name, overrides, int(arguments.get("seed") or 0), list(arguments.get("backends") or []))
    return {**found, "resident_bytes": _resident_bytes()}


def measure_task(arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Arguments: source, name, overrides, seed. The eager time on a GPU; a Failure where there is none."""
    text, name, overrides = _program(arguments)
    return measure(text, name, overrides, int(arguments.get("seed") or 0))


def list_modules(arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """No arguments. Layers of named models in transformers; a Failure where it is not installed."""
    return mined_modules()


def _program(arguments: dict[str, Any]) -> tuple[str, str, dict[str, int]]:
    overrides = {str(name): int(value) for name, value in (arguments.get("overrides") or {}).items()}
    return str(arguments["source"]), str(arguments.get("name") or "task.py"), overrides


def _resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
