# SPDX-License-Identifier: Apache-2.0
"""Outputs outlive the call that made them: a module that returns the same memory every time overwrites them."""

from __future__ import annotations

from typing import Any

from .channel import Fault
from .host_device import HostDevice
from .types import contiguous, data_pointer, is_contiguous, is_plain

MAX_BYTES = 64 << 20  # of one output that is kept


class KeptOutputs:
    """What the last call returned, and what it held when it had been returned."""

    def __init__(self, device: HostDevice) -> None:
        self._device = device
        self._kept: list[tuple[int, Any, bytes]] = []

    def check(self) -> None:
        """After another call. Raises a Fault when it changed what the one before had returned."""
        for number, tensor, before in self._kept:
            if self._bytes_of(tensor, len(before)) != before:
                raise Fault(f"output {number} of a call was overwritten by the next call: forward returns the same "
                            "memory each time, where the reference returns tensors that stay as they are")  # fmt: skip

    def keep(self, found: dict[int, Any], sizes: list[int], others: list[tuple[int, int]]) -> None:
        """`others`: address and bytes of memory that is not the candidate's own, whose views may change."""
        self._kept = []
        for number, tensor in found.items():
            size = sizes[number]
            if not is_plain(tensor) or not 0 < size <= MAX_BYTES:
                continue
            address = data_pointer(tensor)
            if not any(start <= address < start + extent for start, extent in others):
                self._kept.append((number, tensor, self._bytes_of(tensor, size)))

    def _bytes_of(self, tensor: Any, size: int) -> bytes:
        whole = tensor if is_contiguous(tensor) else contiguous(tensor)
        return self._device.read(data_pointer(whole), size)
