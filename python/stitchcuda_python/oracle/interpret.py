# SPDX-License-Identifier: Apache-2.0
"""Runs a functional program call by call with PyTorch: in its own precision, or with every float in fp64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from ..graph.functional import Call, FunctionalProgram, Ref, used_by
from ..graph.random import NUMBERS, result_from
from .perturb import at_once

_aten = torch.ops.aten

# `view` demands strides that another device's kernels need not have made; clone's memory format is not kept.
_RESHAPES = {_aten.view.default, _aten._unsafe_view.default}
_INTEGERS = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
_ATTENTION = _aten.scaled_dot_product_attention.default
_CLONES = {_aten.clone.default, _aten.lift_fresh_copy.default}

# Runs one call in place of the operator itself; None = let the operator run.
Substitute = Callable[[Call, list[Any], dict[str, Any]], Any]


class Interpreter:
    """Prepared once per program and device; `run` may be called any number of times."""

    def __init__(self, graph: FunctionalProgram, device: torch.device) -> None:
        self._graph = graph
        self._device = device
        self._outputs = {output.value for output in graph.outputs}
        self._last_use = {name: index for index, call in enumerate(graph.calls) for name in used_by(call)}
        self._takes_device = [_takes_device(call.target) for call in graph.calls]
        self.has_overflow = False  # of the last run: whether it made integers of floats that none of their type holds

    def run(
        self,
        values: dict[str, torch.Tensor],
        *,
        double: bool = False,
        keep: frozenset[str] = frozenset(),
        substitute: Substitute | None = None,
    ) -> dict[str, torch.Tensor]:
        """The program's outputs and the values in `keep`, by name, from its inputs by name. With `double`, float inputs
        become fp64, float dtype arguments are rewritten and the default dtype is fp64 meanwhile."""
        live = {name: _widened(tensor) if double else tensor for name, tensor in values.items()}
        keep = keep | self._outputs
        self.has_overflow = False
        with torch.no_grad(), _default_dtype(torch.float64 if double else torch.get_default_dtype()):
            for index, call in enumerate(self._graph.calls):
                live |= self._results(index, live, double, substitute)
                for name in used_by(call):
                    if self._last_use[name] == index and name not in keep:
                        live.pop(name, None)
        return {name: live[name] for name in keep if name in live}

    def again(self, known: dict[str, torch.Tensor], changed: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The program's outputs where the values in `changed`, inputs or results of calls, stand in place of those in
        `known`, which holds every value of a run. Runs only the calls that see a difference."""
        live, moved = known | changed, set(changed)
        with torch.no_grad():
            for index, call in enumerate(self._graph.calls):
                if moved.isdisjoint(used_by(call)):
                    continue
                made = self._results(index, live, False, None) | changed
                live |= made
                moved.update(result.name for result in call.results if result.name)
        return {name: live[name] for name in self._outputs}

    def arguments(self, call: Call, known: dict[str, torch.Tensor]) -> tuple[list[Any], dict[str, Any]]:
        """What one call is called with, where `known` holds every value of a run."""
        return _bound(call.args, known, False), _bound(call.kwargs, known, False)

    def _results(
        self, index: int, live: dict[str, torch.Tensor], double: bool, substitute: Substitute | None
    ) -> dict[str, torch.Tensor]:
        """What one call makes, by name."""
        call = self._graph.calls[index]
        args, kwargs = _bound(call.args, live, double), _bound(call.kwargs, live, double)
        if self._takes_device[index]:
            kwargs["device"] = self._device
        self.has_overflow = self.has_overflow or _overflows(call.target, args, kwargs)
        made = result_from(call.target, kwargs[NUMBERS], args) if NUMBERS in kwargs else None
        made = substitute(call, args, kwargs) if made is None and substitute else made
        made = execute(call, args, kwargs) if made is None else made
        named = zip(call.results, made if call.multiple else [made])
        return {result.name: tensor for result, tensor in named if result.name}


def execute(call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What one call makes of arguments that are tensors."""
    if call.target in _RESHAPES:
        return args[0].reshape(args[1])
    if call.target is _ATTENTION and _is_by_samples(*args, **kwargs):
        return _attention_by_samples(*args, **kwargs)
    made = call.target(*args, **kwargs)
    return made.contiguous() if call.target in _CLONES else made


def _is_by_samples(q: Any, k: Any, v: Any, mask: Any = None, dropout: float = 0.0, *_how: Any, **_also: Any) -> bool:
    """Whether attention is worked out a few samples at a time: in fp64 PyTorch makes scaled copies of all operands."""
    batch = {operand.shape[0] for operand in (q, k, v)}
    return q.numel() > at_once(q) and q.dim() > 2 and len(batch) == 1 and mask is None and dropout == 0.0


def _attention_by_samples(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *how: Any, **also: Any) -> torch.Tensor:
    made = torch.empty((*q.shape[:-1], v.shape[-1]), dtype=q.dtype, device=q.device)
    samples = max(1, at_once(q) * q.shape[0] // q.numel())
    for to, *operands in zip(*(tensor.split(samples) for tensor in (made, q, k, v))):
        to.copy_(_ATTENTION(*operands, *how, **also))
    return made


def _overflows(target: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a conversion meets NaN or what lies outside of its type. C++ and PyTorch leave open what becomes of it;
    devices differ."""
    dtype = kwargs.get("dtype")
    if target is not _aten._to_copy.default or dtype not in _INTEGERS or not args[0].is_floating_point():
        return False
    limits, whole = torch.iinfo(dtype), args[0].double().trunc()
    return not bool(((whole >= float(limits.min)) & (whole < float(limits.max) + 1)).all())


def _takes_device(target: Any) -> bool:
    schema = getattr(target, "_schema", None)
    return schema is not None and any(argument.name == "device" for argument in schema.arguments)


def _bound(argument: Any, live: dict[str, torch.Tensor], double: bool) -> Any:
    if isinstance(argument, Ref):
        return live[argument.name]
    if isinstance(argument, (list, tuple)):
        return [_bound(item, live, double) for item in argument]
    if isinstance(argument, dict):
        return {name: _bound(item, live, double) for name, item in argument.items()}
    if double and isinstance(argument, torch.dtype) and argument.is_floating_point:
        return torch.float64
    return argument


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


@contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
