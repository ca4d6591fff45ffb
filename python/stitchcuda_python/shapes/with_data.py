# SPDX-License-Identifier: Apache-2.0
"""Tries a program with data. A trial without lets pass what only a kernel checks: that a class loss has as many targets
as places, that an index is within its table."""

from __future__ import annotations

import types
from dataclasses import replace
from math import prod
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from ..program.build import Request, build_program, draw_inputs, reshaped
from .quiet import quiet

_MAX_DRAWN_BYTES = 1 << 28
_SAMPLE = 1 << 16  # elements drawn anew for a larger tensor, which repeats them


class DataTrials:
    """Trials of one program at many sizes on the CPU. The file's own inputs, which those of other sizes are drawn from,
    are drawn once for all of them, and sizes that were tried are not tried again."""

    def __init__(self) -> None:
        self._answers: dict[str, bool] = {}
        self._own: tuple[Request, tuple[Any, ...]] | None = None

    def runs(self, request: Request) -> bool:
        """Whether one call goes through."""
        key = repr(request)
        if key not in self._answers:
            self._answers[key] = self._tried(request)
        return self._answers[key]

    def _tried(self, request: Request) -> bool:
        try:
            if _draws_too_much(request):
                return True
            with torch.no_grad(), quiet():
                program = build_program(request, self._inputs)
                program.module(*program.inputs)
            return True
        except Exception:  # noqa: BLE001 - any refusal means "not at these sizes"
            return False

    def _inputs(self, namespace: types.ModuleType, request: Request) -> tuple[Any, ...]:
        as_declared = replace(request, input_shapes=None)
        if self._own is None or self._own[0] != as_declared:
            self._own = None  # its memory may be needed
            self._own = (as_declared, draw_inputs(namespace, as_declared))
        own = {id(leaf) for leaf in pytree.tree_leaves(self._own[1])}
        made = reshaped(self._own[1], request, _repeated)
        # A program may write into what it is given.
        return pytree.tree_map_only(torch.Tensor, lambda leaf: leaf.clone() if id(leaf) in own else leaf, made)


def _repeated(flat: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """A tensor of some elements of `flat`, the same ones again and again where it is large."""
    count = prod(shape)
    sample = flat[torch.randint(0, flat.numel(), (min(count, _SAMPLE),))]
    return sample.repeat(-(-count // max(1, sample.numel())))[:count].reshape(shape)


def _draws_too_much(request: Request) -> bool:
    """Whether the file's own inputs take seconds to draw and hold no index or target that could be out of range."""
    with FakeTensorMode(allow_non_fake_inputs=True), quiet():
        tensors = build_program(replace(request, input_shapes=None)).input_tensors()
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    return size > _MAX_DRAWN_BYTES and all(tensor.is_floating_point() for tensor in tensors)
