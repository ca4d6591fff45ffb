# SPDX-License-Identifier: Apache-2.0
"""`forms`: what the Python forms of a program need: its source, its class, what it takes and returns."""

from __future__ import annotations

import base64
import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from ..deadline import deadline
from ..failures import PROGRAM_INVALID, Failure
from ..forms.constructor import constructor_source
from ..forms.expression import expression
from ..forms.mode import same_in_both_modes
from ..graph.export import Exported, export_program
from ..graph.functional import CONSTANT, Returned
from ..graph.known import exported_without_data
from ..graph.supported import DTYPE_NAMES
from ..program.build import Request, build_program
from ..program.source import read_source
from ..weights.raw import raw_bytes

DEADLINE_SECONDS = 180.0
_MAX_CONSTANTS_BYTES = 1 << 20
_RANDOM = ("dropout", "bernoulli", "rand", "normal", "rrelu", "multinomial", "exponential", "uniform")


def run_forms(arguments: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Arguments: import's. Answers the texts that the generated Python files are filled with."""
    request = Request.from_json(arguments)
    with deadline(DEADLINE_SECONDS, f"Preparing the Python forms of {request.file}", request.file):
        exported = exported_without_data(request)
        return _answer(exported, request)


def _answer(exported: Exported, request: Request) -> dict[str, Any]:
    program, graph = exported.program, exported.graph
    text = read_source(request.file)
    target = request.target or "Model"
    thing = getattr(program.namespace, target)
    kind = "class" if inspect.isclass(thing) else "instance" if isinstance(thing, nn.Module) else "function"
    constructor = constructor_source(text, target, program.namespace, program.module) if kind == "class" else text
    return {
        "source": text,
        "constructor_source": constructor,
        "target": target,
        "kind": kind,
        "mode": "train" if program.module.training else "eval",
        "both_modes": same_in_both_modes(program.module, text),
        "modes": {name: child.training for name, child in program.module.named_modules()},
        "takes": expression(_numbered(program.inputs), program.namespace, request.file),
        "returns": expression(graph.returned, program.namespace, request.file),
        "random": any(mark in call.target_name for call in graph.calls for mark in _RANDOM if _draws(call)),
        "single_file": "stitchcuda_live_code" not in vars(program.namespace),
        "constants": _constants(exported, request),
    }


def _draws(call: Any) -> bool:
    """Dropout that does nothing draws nothing."""
    train = call.kwargs.get("train", call.args[2] if len(call.args) > 2 else None)
    return "dropout" not in call.target_name or train is not False


def _numbered(inputs: tuple[Any, ...]) -> Any:
    leaves, structure = pytree.tree_flatten(inputs)
    count = 0
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor):
            leaves[place] = Returned(count)
            count += 1
    return pytree.tree_unflatten(leaves, structure)


def _constants(exported: Exported, request: Request) -> list[dict[str, Any]]:
    """Tensors that forward makes of literals: no part of the module, so their bytes travel with the file."""
    module = exported.program.module
    names = [value.binding for value in exported.graph.of_role(CONSTANT) if not _is_of_module(module, value.binding)]
    if not names:
        return []
    torch.manual_seed(0)
    real = export_program(build_program(dataclasses.replace(request))).graph.tensors
    found = [(name, real[name].detach().to("cpu").contiguous()) for name in names]
    if sum(tensor.numel() * tensor.element_size() for _name, tensor in found) > _MAX_CONSTANTS_BYTES:
        message = "The tensors that forward makes of literals are too large to be written into a Python file."
        raise Failure(PROGRAM_INVALID, message, request.file, "Register them as buffers.")
    return [
        {
            "name": name,
            "dtype": DTYPE_NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "bytes": base64.b64encode(bytes(raw_bytes(tensor))).decode(),
        }
        for name, tensor in found
    ]


def _is_of_module(module: nn.Module, path: str) -> bool:
    thing: Any = module
    for step in path.split("."):
        thing = getattr(thing, step, None)
    return isinstance(thing, torch.Tensor)
