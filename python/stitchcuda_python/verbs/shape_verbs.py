# SPDX-License-Identifier: Apache-2.0
"""`hidden_shapes`, `small_scale` and `batch_axis`: other sizes for a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..deadline import deadline
from ..program.build import Request
from ..shapes.batch import batch_axis
from ..shapes.hidden import hidden_shapes
from ..shapes.small import DEFAULT_MIN_AXIS, small_scale

DEADLINE_SECONDS = 120.0


def run_hidden_shapes(arguments: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Arguments: import's, count, seed. Answers {"shapes": [sizes], "ranges": [axes that may change]}, where sizes are
    the `input_shapes` and `overrides` to import and open with."""
    request = Request.from_json(arguments)
    with deadline(DEADLINE_SECONDS, f"Choosing sizes for {request.file}", request.file):
        return hidden_shapes(request, int(arguments.get("count") or 3), int(arguments.get("seed") or 0))


def run_small_scale(arguments: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Arguments: import's, budget_seconds, min_axis, whole_tiles. Answers `overrides` or `input_shapes` with "flops",
    what a draw is estimated to take on the emulated device ("seconds"), and whether that "fits"."""
    request = Request.from_json(arguments)
    budget, min_axis = float(arguments["budget_seconds"]), int(arguments.get("min_axis") or DEFAULT_MIN_AXIS)
    with deadline(DEADLINE_SECONDS, f"Choosing sizes for {request.file}", request.file):
        return small_scale(request, budget, min_axis, bool(arguments.get("whole_tiles")))


def run_batch_axis(arguments: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Arguments: import's. Answers the axes that follow the batch, or why there are none."""
    request = Request.from_json(arguments)
    with deadline(DEADLINE_SECONDS, f"Looking for the batch of {request.file}", request.file):
        return batch_axis(request)
