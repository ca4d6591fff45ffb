# SPDX-License-Identifier: Apache-2.0
"""Functional forms that were exported without data, kept: of the same program a verdict needs them again with data, and
an export is what costs most."""

from __future__ import annotations

import dataclasses
import hashlib

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from ..complexes.pair import as_real
from ..program.build import Program, Request, build_program
from ..program.source import read_source
from ..stopwatch import Stopwatch
from .export import Exported, export_program, export_request
from .functional import CONSTANT, PARAMETER, STATE, FunctionalProgram

_MAX_KNOWN = 16
_known: dict[str, FunctionalProgram] = {}  # without tensors: whose they are is told with each program


def export_and_keep(request: Request, watch: Stopwatch | None = None) -> Exported:
    """As export_request(); what was exported without data is known from now on."""
    made = export_request(request, watch=watch)
    if made.without_data:
        while len(_known) >= _MAX_KNOWN:
            del _known[next(iter(_known))]
        _known[_key(request)] = dataclasses.replace(made.graph, tensors={})
    return made


def exported_without_data(request: Request) -> Exported:
    """As export_request(), exported only where it is not known."""
    graph = _known.get(_key(request))
    if graph is None:
        return export_request(request)
    torch.manual_seed(0)
    with FakeTensorMode(allow_non_fake_inputs=True):
        return Exported(build_program(request), graph, without_data=True)


def graph_with_data(program: Program) -> FunctionalProgram:
    """The functional form of a program that was built with data, with its tensors. Exported where it is not known, or
    where a value of the known one is no parameter and no buffer of the module: a tensor that forward makes of
    literals."""
    graph = _known.get(_key(program.request))
    if graph is not None:
        tensors = _tensors_of(program.module)
        if _fits(graph, tensors):
            return dataclasses.replace(graph, tensors=tensors)
    return export_program(program).graph


def _key(request: Request) -> str:
    return f"{request!r} {hashlib.sha256(read_source(request.file).encode()).hexdigest()}"


def _tensors_of(module: nn.Module) -> dict[str, torch.Tensor]:
    named = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
    return {name: as_real(tensor) for name, tensor in named}


def _fits(graph: FunctionalProgram, tensors: dict[str, torch.Tensor]) -> bool:
    for value in graph.of_role(PARAMETER, CONSTANT, STATE):
        tensor = tensors.get(value.binding)
        if tensor is None or tensor.dtype != value.dtype or tuple(tensor.shape) != value.shape:
            return False
    return True
