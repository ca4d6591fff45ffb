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


def read_raw(path: str, like: torch.Tensor) -> torch.Tensor:
    """The tensor in `path`, of the shape and dtype of `like`, in host memory. ValueError where the size is another."""
    made = torch.empty(like.shape, dtype=like.dtype)
    view = raw_bytes(made)
    with open(path, "rb", buffering=0) as stream:
        read = 0
        while read < len(view) and (count := stream.readinto(view[read:])):
            read += count
        if read != len(view) or stream.read(1):
            raise ValueError(f"{path} does not hold {len(view)} bytes")
    return made
