# SPDX-License-Identifier: Apache-2.0
"""`import`: a PyTorch file as an exported program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..deadline import deadline
from ..graph.known import export_and_keep
from ..graph.serialise import exported_json
from ..program.build import Request
from ..stopwatch import Stopwatch

DEADLINE_SECONDS = 120.0


def run_import(arguments: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Arguments: file, target, mode, overrides, input_shapes, deadline_s, timed. Answers stitchcuda.exported/1, with
    `timed` with "seconds" by what they went into."""
    request = Request.from_json(arguments)
    seconds = float(arguments.get("deadline_s") or DEADLINE_SECONDS)
    with deadline(seconds, f"Importing {request.file}", request.file):
        watch = Stopwatch()
        made = exported_json(export_and_keep(request, watch))
        watch.lap("write")
    return made | {"seconds": watch.seconds} if arguments.get("timed") else made
