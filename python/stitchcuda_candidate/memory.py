# SPDX-License-Identifier: Apache-2.0
"""The keeper's blocks as this process sees them, and tensors that lie in them."""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any

import torch

from .types import DTYPES


class Memory:
    """Shared memory by block. A region stays valid until its block is detached."""

    def __init__(self) -> None:
        self._blocks: dict[int, tuple[mmap.mmap, int]] = {}

    def attach(self, tokens: list[dict[str, Any]], descriptors: list[int]) -> None:
        """Maps the blocks whose memory came with the message."""
        for token, descriptor in zip(tokens, descriptors):
            mapped = mmap.mmap(descriptor, int(token["bytes"]))
            os.close(descriptor)
            self._blocks[int(token["id"])] = mapped, ctypes.addressof(ctypes.c_char.from_buffer(mapped))

    def detach(self, ids: list[int]) -> None:
        """Forgets blocks. Their memory goes when no tensor lies in it any more."""
        for number in ids:
            self._blocks.pop(int(number), None)

    def address(self, region: dict[str, Any]) -> int:
        """Where a region begins."""
        mapped, start = self._blocks[int(region["block"])]
        offset, size = int(region["offset"]), int(region["bytes"])
        if offset < 0 or size < 0 or offset + size > len(mapped):
            raise ValueError(f"bytes {offset} to {offset + size} are not there")
        return start + offset

    def extents(self) -> list[tuple[int, int]]:
        """Address and bytes of every block."""
        return [(start, len(mapped)) for mapped, start in self._blocks.values()]

    def tensor(self, argument: dict[str, Any], dtype: str) -> torch.Tensor:
        """A tensor over the region, without a copy."""
        self.address(argument)
        mapped, _ = self._blocks[int(argument["block"])]
        shape = [int(extent) for extent in argument["extents"]]
        count = 1
        for extent in shape:
            count *= extent
        if count == 0:
            return torch.empty(shape, dtype=DTYPES[dtype])
        flat = torch.frombuffer(mapped, dtype=DTYPES[dtype], count=count, offset=int(argument["offset"]))
        return flat.view(shape)


copy_bytes = ctypes.memmove
_compare = ctypes.CDLL(None).memcmp
_compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def equal_bytes(left: int, right: int, size: int) -> bool:
    """Whether two pieces of memory hold the same."""
    return size == 0 or _compare(left, right, size) == 0
