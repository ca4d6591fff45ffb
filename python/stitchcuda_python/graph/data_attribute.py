# SPDX-License-Identifier: Apache-2.0
"""`tensor.data` while a program is traced.

The tracer does not see that attribute. What is read there counts as a constant of the program, and torch.export fails
with a sentence that names no line; what is assigned is lost. `detach` and `copy_` are what is meant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch.fx.experimental.proxy_tensor import get_proxy_mode


@contextmanager
def data_attribute_as_detached() -> Iterator[None]:
    """While it lasts, reading `.data` of a tensor under the tracer detaches it: the same memory, without gradients.
    Assigning a tensor of the same shape and type there copies it; any other assignment stays as it is."""
    plain = torch.Tensor.data  # of the base class, in C

    def read(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach() if get_proxy_mode() is not None else plain.__get__(tensor)

    def assign(tensor: torch.Tensor, value: torch.Tensor) -> None:
        is_alike = isinstance(value, torch.Tensor) and (tensor.shape, tensor.dtype) == (value.shape, value.dtype)
        if get_proxy_mode() is not None and is_alike:
            tensor.detach().copy_(value.detach())
        else:
            plain.__set__(tensor, value)

    torch.Tensor.data = property(read, assign, plain.__delete__)  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        del torch.Tensor.data
