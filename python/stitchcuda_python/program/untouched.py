# SPDX-License-Identifier: Apache-2.0
"""Inputs for whoever looks at their sizes alone: drawing a billion numbers takes seconds."""

from __future__ import annotations

import types
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from ..failures import Failure
from .build import Request, draw_inputs


def untouched_inputs(namespace: types.ModuleType, request: Request) -> tuple[Any, ...]:
    """Inputs of the right sizes and types, in memory that nobody has written to; drawn where they cannot be had
    without."""
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):
            drawn = draw_inputs(namespace, request)
    except Failure:
        return draw_inputs(namespace, request)
    return pytree.tree_map_only(torch.Tensor, _empty_like, drawn)


def _empty_like(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
