# SPDX-License-Identifier: Apache-2.0
"""Outputs outlive the call that made them: a module that returns the same memory every time overwrites them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from .channel import Fault
from .host_device import HostDevice
from .types import contiguous, data_pointer, is_contiguous, is_plain

MAX_BYTES = 64 << 20  # of one output that is kept
MAX_LONGER = 8  # outputs that are kept for more than one call, and
MAX_LONGER_BYTES = 8 << 20  # of one of these
MAX_CALLS = 32

_bytes_by_chance = os.urandom  # before the candidate is there


@dataclass
class Kept:
    """One output of a call, and what it held when it had been returned."""

    number: int
    tensor: Any
    before: bytes
    made_at: int
    until: int


class KeptOutputs:
    """What the last call returned, and some of what calls before it did: nobody can tell for how long."""

    def __init__(self, device: HostDevice) -> None:
        self._device = device
        self._calls = 0
        self._kept: list[Kept] = []

    def check(self) -> None:
        """After another call. Raises a Fault when it, or one before it, changed what an earlier one had returned."""
        self._calls += 1
        for kept in self._kept:
            is_next, is_last = kept.made_at == self._calls - 1, kept.until <= self._calls
            if (is_next or is_last) and self._bytes_of(kept.tensor, len(kept.before)) != kept.before:
                later = "the next call" if is_next else f"one of the {self._calls - kept.made_at} calls after it"
                raise Fault(f"output {kept.number} of a call was overwritten by {later}: forward returns the same "
                            "memory again, where the reference returns tensors that stay as they are")  # fmt: skip
        self._kept = [kept for kept in self._kept if kept.until > self._calls]

    def keep(self, found: dict[int, Any], sizes: list[int], others: list[tuple[int, int]]) -> None:
        """`others`: address and bytes of memory that is not the candidate's own, whose views may change."""
        for number, tensor in found.items():
            size = sizes[number]
            if not is_plain(tensor) or not 0 < size <= MAX_BYTES:
                continue
            address = data_pointer(tensor)
            if not any(start <= address < start + extent for start, extent in others):
                until = self._calls + self._calls_to_wait(size)
                self._kept.append(Kept(number, tensor, self._bytes_of(tensor, size), self._calls, until))

    def _calls_to_wait(self, size: int) -> int:
        drawn = int.from_bytes(_bytes_by_chance(2), "little")
        longer = drawn % 4 == 0 and size <= MAX_LONGER_BYTES and len(self._kept) < MAX_LONGER
        return 2 + drawn // 4 % (MAX_CALLS - 1) if longer else 1

    def _bytes_of(self, tensor: Any, size: int) -> bytes:
        whole = tensor if is_contiguous(tensor) else contiguous(tensor)
        return self._device.read(data_pointer(whole), size)
