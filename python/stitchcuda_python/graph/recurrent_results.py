# SPDX-License-Identifier: Apache-2.0
"""What a recurrent network returns, told by its shapes while a program is traced.

PyTorch traces one by running it step after step on tensors without data, though the traced program holds it whole: for
a hundred steps that takes seconds, and import, batch and hidden shapes trace a program ten times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import torch
from torch._decomp import decomposition_table
from torch._subclasses.fake_tensor import FakeTensor

_GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


@contextmanager
def recurrent_results_by_shape() -> Iterator[None]:
    """While it lasts, a recurrent network over fake tensors returns fake tensors at once. Steps are counted and extents
    compared as its own way does, so that an export with free sizes keeps the same ones free. Where a release keeps its
    kernels elsewhere, nothing is changed."""
    replaced: list[tuple[dict[Any, Any], Any, Any]] = []
    operators = [getattr(torch.ops.aten, name).input for name in _GATES]
    try:
        for operator, gates in zip(operators, _GATES.values()):
            kernels = getattr(operator, "py_kernels", {})
            places = [(kernels, key) for key in kernels]
            # Where a program is made functional, fake tensors take the operator's description from this table instead.
            places += [(decomposition_table, operator)] if operator in decomposition_table else []
            for table, key in places:
                if callable(table[key]):
                    replaced.append((table, key, table[key]))
                    table[key] = _by_shape(table[key], gates)
            operator._dispatch_cache.clear()
        yield
    finally:
        for table, key, kernel in replaced:
            table[key] = kernel
        for operator in operators:
            operator._dispatch_cache.clear()


def _by_shape(kernel: Callable[..., Any], gates: int) -> Callable[..., Any]:
    @wraps(kernel)  # PyTorch goes by the name and the module of what it finds in its table
    def results(x: Any, hx: Any, params: Any, has_biases: bool, layers: int, dropout: float, train: bool,
                bidirectional: bool, batch_first: bool) -> Any:  # fmt: skip
        states = list(hx) if gates == _GATES["lstm"] else [hx]
        directions = 2 if bidirectional else 1
        known = isinstance(x, FakeTensor) and x.dim() == 3
        fits = known and _fits(x, states, layers * directions, batch_first)
        if not fits or not _weights_fit(x, states, params, gates, layers, directions, has_biases):
            return kernel(x, hx, params, has_biases, layers, dropout, train, bidirectional, batch_first)
        steps = int(x.shape[1 if batch_first else 0])  # a constant of the traced program
        batch, units = states[0].shape[1], states[0].shape[2]
        shape = (batch, steps) if batch_first else (steps, batch)
        output = x.new_empty((*shape, directions * units))
        return (output, *(state.new_empty(state.shape) for state in states))

    return results


def _fits(x: Any, states: list[Any], count: int, batch_first: bool) -> bool:
    """Whether the extents agree. Each comparison of a free extent makes it agree from then on."""
    batch = x.shape[0 if batch_first else 1]
    return all(
        state.dim() == 3 and state.shape[0] == count and state.shape[1] == batch and state.dtype == x.dtype
        for state in states
    ) and bool(states[-1].shape[2] == states[0].shape[2])


def _weights_fit(
    x: Any, states: list[Any], params: Any, gates: int, layers: int, directions: int, has_biases: bool
) -> bool:
    """The same of the weights, which may be inputs of the program with free extents of their own."""
    units = states[0].shape[2]
    count = 4 if has_biases else 2
    if len(params) != layers * directions * count:
        return False
    for number in range(layers * directions):
        features = x.shape[2] if number < directions else directions * units
        weight_ih, weight_hh, *biases = params[number * count : (number + 1) * count]
        wanted = [(weight_ih, (gates * units, features)), (weight_hh, (gates * units, units))]
        wanted += [(bias, (gates * units,)) for bias in biases]
        for tensor, shape in wanted:
            if tensor.dim() != len(shape) or not all(have == want for have, want in zip(tensor.shape, shape)):
                return False
    return True
