# SPDX-License-Identifier: Apache-2.0
"""The keeper's blocks as this process sees them, and tensors that lie in them."""

from __future__ import annotations

from typing import Any

import torch

from .host_device import HostDevice
from .types import DTYPES


class Memory:
    """Shared memory by block. A region stays valid until its block is detached."""

    def __init__(self, device: HostDevice) -> None:
        self._device = device
        self._blocks: dict[int, tuple[Any, int, int]] = {}  # what keeps it alive, address, bytes

    def attach(self, tokens: list[dict[str, Any]], descriptors: list[int]) -> None:
        """Maps the blocks whose memory, or handles, came with the message."""
        for number, token in enumerate(tokens):
            descriptor = descriptors[number] if number < len(descriptors) else None
            held, start = self._device.attach(token, descriptor)
            self.detach([token["id"]])
            self._blocks[int(token["id"])] = held, start, int(token["bytes"])

    def detach(self, ids: list[int]) -> None:
        """Forgets blocks."""
        for number in ids:
            if (block := self._blocks.pop(int(number), None)) is not None:
                self._device.detach(block[0])

    def address(self, region: dict[str, Any]) -> int:
        """Where a region begins."""
        _, start, extent = self._blocks[int(region["block"])]
        offset, size = int(region["offset"]), int(region["bytes"])
        if offset < 0 or size < 0 or offset + size > extent:
            raise ValueError(f"bytes {offset} to {offset + size} are not there")
        return start + offset

    def extents(self) -> list[tuple[int, int]]:
        """Address and bytes of every block."""
        return [(start, extent) for _, start, extent in self._blocks.values()]

    def tensor(self, argument: dict[str, Any], dtype: str) -> torch.Tensor:
        """A tensor over the region, without a copy."""
        address = self.address(argument)
        shape = [int(extent) for extent in argument["extents"]]
        if 0 in shape:
            return torch.empty(shape, dtype=DTYPES[dtype], device=self._device.name)
        return self._device.tensor(self._blocks[int(argument["block"])][0], address, shape, dtype)
