# SPDX-License-Identifier: Apache-2.0
"""`weights`: the values of a program's parameters, buffers and constants as a safetensors file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch

from ..deadline import deadline
from ..graph.functional import INPUT, RANDOM
from ..graph.known import graph_with_data
from ..oracle.seeds import derive
from ..program.build import Request, build_program
from ..program.untouched import untouched_inputs
from ..weights.safetensors_file import write_safetensors

DEADLINE_SECONDS = 300.0


def write_weights(arguments: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Arguments: import's, path, seed. Writes every value that a run of the program needs besides its inputs, as the
    constructor makes it under that seed, named by binding. Answers the path and the number of bytes."""
    request = Request.from_json(arguments)
    seconds = float(arguments.get("deadline_s") or DEADLINE_SECONDS)
    path = os.path.abspath(str(arguments["path"]))
    with deadline(seconds, f"Writing the weights of {request.file}", request.file):
        torch.manual_seed(derive(int(arguments.get("seed") or 0), "construct"))
        program = build_program(request, untouched_inputs)
        graph = graph_with_data(program)
        bindings = [value.binding for value in graph.values if value.role not in (INPUT, RANDOM)]
        write_safetensors({binding: graph.tensors[binding] for binding in bindings}, path)
    return {"path": path, "bytes": os.path.getsize(path), "tensors": len(bindings)}
