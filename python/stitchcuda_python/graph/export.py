# SPDX-License-Identifier: Apache-2.0
"""Exports a program with torch.export: first without allocating anything, then, where that fails, with real tensors."""

from __future__ import annotations

import os
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from ..failures import PROGRAM_INVALID, Failure, chain, from_user_code
from ..program.attributes import Watch, refuse_if_read_again, watched
from ..program.build import Program, Request, build_program
from ..program.lazy_attributes import carries_nothing
from ..program.steady import refuse_if_unsteady
from ..stopwatch import Stopwatch
from .composites import decomposition_table
from .convert import convert
from .counts import refuse_unknown_counts
from .functional import FunctionalProgram
from .kept_overrides import overrides_kept
from .supported import FIXED_SHAPES
from .tracing import as_traced
from .untraceable import refusal_of_packed_sequence, refusal_of_unknown_type

_DATA_DEPENDENT = ("DataDependent", "Unbacked", "GuardOnData", "DynamicOutputShape")


_RUNS_PLAINLY = "Check that Model(*get_init_inputs())(*get_inputs()) runs in plain PyTorch."


@dataclass
class Exported:
    """A program and its functional form. `without_data`: what was traced had shapes and no numbers, so that the form
    depends on none."""

    program: Program
    graph: FunctionalProgram
    without_data: bool = False


def export_request(request: Request, seed: int = 0, watch: Stopwatch | None = None) -> Exported:
    """Builds and exports under FakeTensorMode, so that nothing is allocated; a program that cannot be built so (it
    reads its own numbers) is built with real tensors. The user's mistakes are told from the real attempt."""
    watch = watch or Stopwatch()
    torch.manual_seed(seed)
    try:
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            program = build_program(request)
            watch.lap("construct")
            refuse_if_unsteady(program)
            watch.lap("call twice")
            return export_program(program, mode, watch)
    except Failure as failure:
        if not failure.code == PROGRAM_INVALID or not isinstance(failure.__cause__, Exception):
            raise
    watch.lap("fail without data")
    torch.manual_seed(seed)
    program = build_program(request)
    watch.lap("construct")
    return export_program(program, watch=watch)


def _refuse_if_carried(program: Program, attributes: Watch, without_data: bool) -> None:
    """Raises a Failure where a call leaves in an attribute what a later one would not make the same."""
    try:
        refuse_if_read_again(program.module, _copies(program.inputs), attributes, program.request.file)
    except Failure:
        if without_data or not carries_nothing(program, attributes):
            raise


def export_program(
    program: Program, mode: FakeTensorMode | None = None, watch: Stopwatch | None = None
) -> Exported:
    """The functional form of a built program. `mode` is the fake mode it was built under, None for real tensors."""
    request, stopwatch = program.request, watch or Stopwatch()
    folder = os.path.dirname(request.file)
    with mode or nullcontext(), as_traced(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with watched(program.module, folder) as attributes:
            try:
                exported = torch.export.export(program.module, program.inputs, strict=False)
                refuse_unknown_counts(exported, folder, request.file)
                stopwatch.lap("torch.export")
                with overrides_kept():
                    functional = exported.run_decompositions(decomposition_table())
                stopwatch.lap("decompositions")
            except Failure:
                raise
            except Exception as error:
                if mode is None:
                    refuse_if_it_does_not_run(program)
                raise _explain(error, request.file) from error
        if attributes.seen:
            with torch.no_grad():
                _refuse_if_carried(program, attributes, without_data=mode is not None)
    made = Exported(program, convert(functional, folder, request.file), without_data=mode is not None)
    stopwatch.lap("convert")
    return made


def refuse_if_it_does_not_run(program: Program) -> None:
    """Runs forward plainly: where that fails, PyTorch's own message is better than the tracer's."""
    try:
        with torch.no_grad():
            program.module(*_copies(program.inputs))
    except Exception as error:
        raise from_user_code(error, "running forward", program.request.file, _RUNS_PLAINLY) from error


def _copies(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(item.clone() if isinstance(item, torch.Tensor) else item for item in inputs)


def _explain(error: Exception, file: str) -> Failure:
    for link in chain(error):
        name = type(link).__name__
        if "quantized" in str(link):  # older releases cannot even trace these
            failure = from_user_code(error, "being exported", file, "")
            message = f"{os.path.basename(file)} works on a quantised tensor, which cannot be exported."
            return Failure(PROGRAM_INVALID, message, failure.location, "Use dense tensors of floats.", failure.trace)
        if any(mark in name for mark in _DATA_DEPENDENT) or "data-dependent" in str(link).lower():
            failure = from_user_code(error, "being exported", file, "")
            location = failure.location
            message = f"A shape or a branch in {os.path.basename(file)} depends on the values of a tensor"
            where = failure.message.partition("at `")[2].partition("`")[0]
            message += f", at `{where}`." if where else "."
            return Failure(PROGRAM_INVALID, message, location, FIXED_SHAPES, failure.trace)
    told = refusal_of_unknown_type(error, file) or refusal_of_packed_sequence(error, file)
    if told is not None:
        return told
    return from_user_code(error, "being exported by PyTorch", file, "Simplify that line until torch.export takes it.")
