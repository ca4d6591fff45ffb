# SPDX-License-Identifier: Apache-2.0
"""`import`: a PyTorch file as an exported program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..deadline import deadline
from ..graph.export import export_request
from ..graph.serialise import exported_json
from ..program.build import Request

DEADLINE_SECONDS = 120.0


def run_import(arguments: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Arguments: file, target, mode, overrides, input_shapes, deadline_s. Answers stitchcuda.exported/1."""
    request = Request.from_json(arguments)
    seconds = float(arguments.get("deadline_s") or DEADLINE_SECONDS)
    with deadline(seconds, f"Importing {request.file}", request.file):
        return exported_json(export_request(request))
