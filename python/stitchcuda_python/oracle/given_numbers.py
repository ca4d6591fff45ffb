# SPDX-License-Identifier: Apache-2.0
"""Random numbers of a draw: made once, then handed to every run, the eager module's own included."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..failures import PROGRAM_INVALID, Failure
from ..graph.flops import short_name
from ..graph.functional import FunctionalProgram
from ..graph.random import UNIFORM, calls_that_draw, numbers_drawn, result_from

_RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}

Numbers = dict[str, torch.Tensor]  # by the name of the graph's value


def drawn_numbers(graph: FunctionalProgram, source: torch.Generator, device: torch.device) -> Numbers:
    """Numbers for every call of the program that draws."""
    shapes = {name: shape for name, (_dtype, shape) in graph.results().items()}
    made: Numbers = {}
    for name, call in calls_that_draw(graph):
        draw = torch.rand if numbers_drawn(call.target, call.args) == UNIFORM else torch.randn
        made[name] = draw(shapes[name], generator=source, device=source.device).to(device)
    return made


class GivenNumbers(TorchDispatchMode):
    """While active, the operators that draw take the numbers of `numbers` in turn. Calls that the graph does not have,
    because nothing follows from them, draw as they always do."""

    def __init__(self, graph: FunctionalProgram, numbers: Numbers) -> None:
        super().__init__()
        self._waiting = [
            (numbers_drawn(call.target, call.args), numbers[name]) for name, call in calls_that_draw(graph)
        ]
        self._has_recurrent = any(short_name(call.target) in _RECURRENT for call in graph.calls)
        self._cudnn = torch.backends.cudnn.enabled

    def __enter__(self) -> Any:
        if self._has_recurrent:  # cuDNN's networks draw the masks between their layers themselves, out of our sight
            torch.backends.cudnn.enabled = False
        return super().__enter__()

    def __exit__(self, *raised: Any) -> None:
        torch.backends.cudnn.enabled = self._cudnn
        super().__exit__(*raised)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kind = numbers_drawn(func, list(args))
        if kind is None or not self._waiting:
            return func(*args, **(kwargs or {}))
        wanted, numbers = self._waiting[0]
        if kind != wanted or _shape_drawn(func, args) != tuple(numbers.shape):
            return func(*args, **(kwargs or {}))
        self._waiting.pop(0)
        made = result_from(func, numbers, list(args))
        in_place = func._schema.name.endswith("_")
        return args[0].copy_(made) if in_place else made

    def check_all_taken(self) -> None:
        """Raises a Failure when the module drew fewer numbers than its graph does."""
        if self._waiting:
            message = "forward does not draw its random numbers in the order in which it was exported."
            raise Failure(PROGRAM_INVALID, message, "", "Draw them unconditionally, in one order.")


def _shape_drawn(func: Any, args: Any) -> tuple[int, ...]:
    """The shape of what a call that draws gives."""
    tensors = [argument for argument in args if isinstance(argument, torch.Tensor)]
    if tensors:
        return tuple(torch.broadcast_shapes(*[tensor.shape for tensor in tensors]))
    sizes = [argument for argument in args if isinstance(argument, (list, tuple, torch.Size))]
    return tuple(sizes[0]) if sizes else ()
