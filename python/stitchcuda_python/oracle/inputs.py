# SPDX-License-Identifier: Apache-2.0
"""Where the file's own inputs are drawn: on a GPU by the GPU, which makes a billion numbers in milliseconds."""

from __future__ import annotations

import types
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..failures import Failure
from ..program.build import Request, draw_inputs

_SMALL_BYTES = 1 << 20


class InputSource:
    """Calls get_inputs() so that it draws on `device`, or as it is where its own code cannot: it names a device or a
    generator, or computes with NumPy."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._draws_there = device.type == "cuda"
        self._keeps = False

    def keep(self, namespace: types.ModuleType) -> bool:
        """Draws from now on give what somebody handed over, where the file mixes that; False where it does not, or has
        been told before."""
        keep_inputs = getattr(namespace, "keep_inputs", None)
        if self._keeps or not callable(keep_inputs):
            return False
        keep_inputs()
        self._keeps = True
        return True

    def draw(self, namespace: types.ModuleType, request: Request, seed: int | None = None) -> tuple[Any, ...]:
        """The inputs of one draw, each on the device or on the CPU; from `seed`, else from where the generators are."""
        if self._draws_there:
            self._seed(seed)
            try:
                with self._device:
                    return draw_inputs(namespace, request)
            except Failure:
                self._draws_there = False
        self._seed(seed)
        return draw_inputs(namespace, request)

    def stand_ins(self, namespace: types.ModuleType, request: Request) -> tuple[Any, ...]:
        """Inputs for an export, which looks at sizes alone: large ones are memory of the host that nobody touches."""
        return pytree.tree_map_only(torch.Tensor, _stand_in, self.draw(namespace, request))

    @staticmethod
    def _seed(seed: int | None) -> None:
        if seed is not None:
            torch.manual_seed(seed)


def _stand_in(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.device.type == "cpu":
        return tensor
    if tensor.numel() * tensor.element_size() <= _SMALL_BYTES:
        return tensor.cpu()
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
