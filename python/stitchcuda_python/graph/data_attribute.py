# SPDX-License-Identifier: Apache-2.0
"""`tensor.data` while a program is traced.

The tracer does not see that attribute being read: what it gives counts as a constant of the program, its numbers or a
write through it are lost, and torch.export fails with a sentence that names no line. `detach` is what it means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch.fx.experimental.proxy_tensor import get_proxy_mode


@contextmanager
def data_attribute_as_detached() -> Iterator[None]:
    """While it lasts, reading `.data` of a tensor under the tracer detaches it: the same memory, without gradients.
    Assigning to it stays as it is."""
    plain = torch.Tensor.data  # of the base class, in C

    def read(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach() if get_proxy_mode() is not None else plain.__get__(tensor)

    torch.Tensor.data = property(read, plain.__set__, plain.__delete__)  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        del torch.Tensor.data
