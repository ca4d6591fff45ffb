# SPDX-License-Identifier: Apache-2.0
"""Writes a functional program as JSON, schema stitchcuda.exported/1."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..program.local_files import local_files
from .export import Exported
from .flops import count_flops
from .functional import INPUT, RANDOM, Call, Ref, Result
from .supported import DTYPE_NAMES

SCHEMA = "stitchcuda.exported/1"


def exported_json(exported: Exported) -> dict[str, Any]:
    """The whole program. The same file gives the same object, field for field."""
    program, graph = exported.program, exported.graph
    unique = {id(parameter): parameter.numel() for parameter in program.module.parameters()}
    return {
        "schema": SCHEMA,
        "name": program.name,
        "file": program.request.file,
        "sources": local_files(program.request.file),
        "target": program.request.target,
        "torch_version": torch.__version__,
        "mode": "train" if program.module.training else "eval",
        "parameter_count": sum(unique.values()),
        "flops": count_flops(graph),
        "values": [
            {
                "name": value.name,
                "role": INPUT if value.role == RANDOM else value.role,
                "binding": value.binding,
                "dtype": DTYPE_NAMES[value.dtype],
                "shape": list(value.shape),
            }
            for value in graph.values
        ],
        "nodes": [_node_json(call) for call in graph.calls],
        "outputs": [{"value": out.value, "role": out.role, "binding": out.binding} for out in graph.outputs],
    }


def _node_json(call: Call) -> dict[str, Any]:
    return {
        "target": call.target_name,
        "args": [argument_json(argument) for argument in call.args],
        "kwargs": {name: argument_json(argument) for name, argument in call.kwargs.items()},
        "outputs": [_result_json(result) for result in call.results],
        "place": call.location,
    }


def _result_json(result: Result) -> dict[str, Any]:
    if result.dtype is None:
        return {"name": None}
    return {"name": result.name, "dtype": DTYPE_NAMES[result.dtype], "shape": list(result.shape)}


def argument_json(argument: Any) -> dict[str, Any]:
    """One tagged argument. What has no tag is carried as {"other": its text}, for the reader to refuse or ignore."""
    if argument is None:
        return {"none": None}
    if isinstance(argument, Ref):
        return {"value": argument.name}
    if isinstance(argument, bool):
        return {"bool": argument}
    if isinstance(argument, int):
        return {"int": argument}
    if isinstance(argument, float):
        return {"float": argument if math.isfinite(argument) else str(argument)}
    if isinstance(argument, str):
        return {"str": argument}
    if isinstance(argument, torch.dtype) and argument in DTYPE_NAMES:
        return {"dtype": DTYPE_NAMES[argument]}
    if isinstance(argument, (list, tuple)):
        return {"list": [argument_json(item) for item in argument]}
    return {"other": str(argument)}
