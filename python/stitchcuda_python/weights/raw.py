# SPDX-License-Identifier: Apache-2.0
"""Raw little-endian, row-major tensor files."""

from __future__ import annotations

import ctypes

import torch


def raw_bytes(tensor: torch.Tensor) -> memoryview:
    """The bytes of a contiguous tensor in host memory, without a copy. Valid while `tensor` lives."""
    size = tensor.numel() * tensor.element_size()
    if size == 0:
        return memoryview(b"")
    return memoryview((ctypes.c_char * size).from_address(tensor.data_ptr())).cast("B")


def write_raw(tensor: torch.Tensor, path: str) -> str:
    """Writes the elements of `tensor` to `path` and returns the path."""
    host = tensor.detach().to("cpu").contiguous()
    with open(path, "wb", buffering=0) as stream:
        view = raw_bytes(host)
        while view:
            view = view[stream.write(view) :]
    return path
