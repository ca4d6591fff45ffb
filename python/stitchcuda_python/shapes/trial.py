# SPDX-License-Identifier: Apache-2.0
"""Tries a program at other sizes, without allocating anything first: does it run, and how much work is it?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ..graph.emulated_cost import call_seconds, idle_seconds
from ..graph.flops import call_flops, short_name
from ..graph.unvalidated import values_unvalidated
from ..program.build import Request, build_program
from .quiet import quiet
from .reach import Reach


@dataclass
class Work:
    """Of one call of a program: counted FLOP, what the emulated device takes for it as estimated, what it takes beside
    that and other sizes would not save, and how far its operators reach."""

    flops: int = 0
    seconds: float = 0.0
    idle_seconds: float = 0.0
    reach: Reach = field(default_factory=Reach)


class _Counter(TorchDispatchMode):
    """Adds up the work of every operator that passes."""

    def __init__(self) -> None:
        super().__init__()
        self.work = Work()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        shapes = [tuple(item.shape) if isinstance(item, torch.Tensor) else None for item in args]
        tensors = [item for item in pytree.tree_leaves(made) if isinstance(item, torch.Tensor)]
        outs = [tuple(item.shape) for item in tensors if item.dtype != torch.bool]
        transposed = "convolution" in str(func) and len(args) > 6 and bool(args[6])
        name = short_name(func)
        flops = call_flops(name, shapes, outs, transposed)
        self.work.flops += flops
        self.work.seconds += call_seconds(name, args, [shape for shape in shapes if shape is not None], outs, flops)
        self.work.idle_seconds += idle_seconds(name, args, outs, flops)
        self.work.reach.add(func, args, outs)
        return made


def trial_flops(request: Request) -> int | None:
    """The counted work of one call at the sizes of `request`; None where it cannot be built or does not run there."""
    work = trial(request)
    return None if work is None else work.flops


def trial(request: Request) -> Work | None:
    """The same with how far its operators reach."""
    try:
        fake = FakeTensorMode(allow_non_fake_inputs=True)
        with fake, torch.no_grad(), quiet(), values_unvalidated():
            program = build_program(request)
            with _Counter() as counter:
                program.module(*program.inputs)
        return counter.work
    except Exception:  # noqa: BLE001 - any refusal means "not at these sizes"
        return None


def trial_shapes(request: Request) -> list[list[int]] | None:
    """The shapes of the program's input tensors; None where it cannot be built."""
    try:
        with FakeTensorMode(allow_non_fake_inputs=True), quiet():
            return [list(tensor.shape) for tensor in build_program(request).input_tensors()]
    except Exception:  # noqa: BLE001 - any refusal means "not at these sizes"
        return None
