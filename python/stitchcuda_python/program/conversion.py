# SPDX-License-Identifier: Apache-2.0
"""Lets half(), bfloat16(), to() and the like run on a module of fake tensors, as constructors of 16-bit models do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch.nn as nn
from torch._subclasses.fake_tensor import FakeTensor

Convert = Callable[[Any], Any]


@contextmanager
def converting_fake_parameters() -> Iterator[None]:
    """Within it, Module._apply puts new parameters in the place of fake ones. PyTorch's own way is to swap the contents
    of two tensors, which fake ones refuse ("Couldn't swap"). Tied parameters stay tied."""
    original = nn.Module._apply
    converted: dict[int, tuple[Any, Any]] = {}  # by identity; the old one is kept, so that its identity stays its own

    def parameter(old: Any, convert: Convert) -> Any:
        if id(old) not in converted:
            made = convert(old.detach())
            converted[id(old)] = (old, nn.Parameter(made, old.requires_grad and made.is_floating_point()))
        return converted[id(old)][1]

    def apply(module: nn.Module, convert: Convert, recurse: bool = True) -> nn.Module:
        if not any(isinstance(item, FakeTensor) for item in module._parameters.values()):
            return original(module, convert, recurse)
        for child in module.children() if recurse else ():
            child._apply(convert)
        for name, old in module._parameters.items():
            module._parameters[name] = None if old is None else parameter(old, convert)
        for name, buffer in module._buffers.items():
            module._buffers[name] = None if buffer is None else convert(buffer)
        return module

    nn.Module._apply = apply  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        nn.Module._apply = original  # type: ignore[method-assign]
