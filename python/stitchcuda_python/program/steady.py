# SPDX-License-Identifier: Apache-2.0
"""A program must have the same sizes whenever it is built: its module is built again for every reference."""

from __future__ import annotations

import os

import torch

from ..failures import PROGRAM_INVALID, Failure
from .build import Program, Request, build_program

Types = dict[str, tuple[list[int], torch.dtype]]


def refuse_if_unsteady(program: Program) -> None:
    """Raises a Failure where another construction has other parameters, buffers or inputs than `program` has. Costs a
    construction, hence to be called where tensors are fake; not for other sizes than the program's own."""
    request = program.request
    if request.overrides or request.input_shapes is not None:
        return
    try:
        again = build_program(Request(request.file, request.target, request.mode, weights=request.weights))
    except Failure:
        return  # told by whoever needs it
    base = os.path.basename(request.file)
    differ = _difference(_held(program), _held(again))
    if differ:
        message = f"{request.target or 'Model'} of {base} has other sizes each time it is constructed: {differ}."
        remedy = "Take random numbers, clocks and counters out of the constructor and of get_init_inputs()."
        raise Failure(PROGRAM_INVALID, message, request.file, remedy)
    differ = _difference(_inputs(program), _inputs(again))
    if differ:
        message = f"get_inputs() of {base} returns other sizes at each call: {differ}."
        raise Failure(PROGRAM_INVALID, message, request.file, "Return tensors of the same shapes and types each time.")


def _held(program: Program) -> Types:
    named = [*program.module.named_parameters(), *program.module.named_buffers()]
    return {name: (list(tensor.shape), tensor.dtype) for name, tensor in named}


def _inputs(program: Program) -> Types:
    tensors = program.input_tensors()
    return {f"input {number}": (list(tensor.shape), tensor.dtype) for number, tensor in enumerate(tensors)}


def _difference(first: Types, second: Types) -> str:
    """The first tensor that is not the same in both, in words; empty where all are."""
    for name in [*first, *(name for name in second if name not in first)]:
        before, after = first.get(name), second.get(name)
        if before is None or after is None:
            return f"{name} is there only sometimes"
        if before != after:
            words = [f"{shape} {str(dtype).removeprefix('torch.')}" for shape, dtype in (before, after)]
            return f"{name} was {words[0]}, then {words[1]}"
    return ""
