# SPDX-License-Identifier: Apache-2.0
"""Where tensors lie when the device is emulated: in memory shared with the keeper."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from .channel import Fault
from .types import DTYPES

if TYPE_CHECKING:
    from .emulated import EmulatedDevice

_compare = ctypes.CDLL(None).memcmp
_compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def _forget_copies(descriptor: int) -> None:
    """mmap keeps a copy of a descriptor, by which a candidate could map the memory again, as code."""
    kept = os.fstat(descriptor)
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    for number in map(int, os.listdir("/proc/self/fd")):
        try:
            found = os.fstat(number)
        except OSError:
            continue  # the one that listed them
        if number != descriptor and (found.st_dev, found.st_ino) == (kept.st_dev, kept.st_ino):
            os.dup2(nothing, number, inheritable=False)  # open, so that mmap closes this one and no other
    os.close(nothing)


class HostDevice:
    """What a session needs of a device. Times are those of no device, hence zero."""

    name = "cpu"
    runtime = ""  # the library of its runtime, where it has one
    emulated: EmulatedDevice | None = None  # whose memory may be kept apart from the host

    def open(self) -> None:
        """Before anything of the candidate's is there. Raises a Fault where the device cannot be used."""

    def attach(self, token: dict[str, Any], descriptor: int | None) -> tuple[Any, int]:
        """(what keeps the block alive, its address)."""
        assert descriptor is not None
        mapped = mmap.mmap(descriptor, int(token["bytes"]))
        _forget_copies(descriptor)
        os.close(descriptor)
        return mapped, ctypes.addressof(ctypes.c_char.from_buffer(mapped))

    def detach(self, block: Any) -> None:
        """Its memory goes when no tensor lies in it any more."""

    def tensor(self, block: Any, address: int, shape: list[int], dtype: str) -> torch.Tensor:
        """A tensor over part of a block."""
        count = math.prod(shape)
        if count == 0:
            return torch.empty(shape, dtype=DTYPES[dtype])
        offset = address - ctypes.addressof(ctypes.c_char.from_buffer(block))
        return torch.frombuffer(block, dtype=DTYPES[dtype], count=count, offset=offset).view(shape)

    def adopt(self, module: torch.nn.Module) -> None:
        """Moves what the module holds to the device."""

    def copy(self, to: int, from_: int, size: int) -> None:
        """Bytes on the device, in the order of what PyTorch's current stream does."""
        (self.emulated.copy if self.emulated is not None else ctypes.memmove)(to, from_, size)

    def equal(self, left: int, right: int, size: int) -> bool:
        """Whether two pieces of memory hold the same."""
        if self.emulated is not None:
            return bool(self.emulated.equal(left, right, size))
        return size == 0 or _compare(left, right, size) == 0

    def read(self, address: int, size: int) -> bytes:
        """What lies there."""
        if self.emulated is None:
            return ctypes.string_at(address, size)
        found = ctypes.create_string_buffer(size)
        self.emulated.copy(ctypes.addressof(found), address, size)
        return found.raw

    def settle(self) -> None:
        """Waits for all work on the device. Raises a Fault where it failed."""

    def has_failed(self) -> bool:
        """Whether work on the device ended in an error, by the device's own word."""
        return self.emulated is not None and bool(self.emulated.last_fault())

    def called(self) -> None:
        """After the candidate's forward. Raises a Fault where it left something of the device changed."""

    def arrive_late(self, pieces: list[tuple[int, int]]) -> None:
        """What lies there (address and bytes) is written a moment later, in the order of PyTorch's current stream: who
        works on another one without waiting for it meets garbage, as after a caller's own kernels."""

    def capture(self, forward: Callable[[], Any], begin_again: Callable[[], None]) -> Callable[[], Any]:
        """`forward` as one graph of the device, to be called as often as wanted; it gives the same tensors each time.
        `begin_again` puts the states back that forward changes. Raises a Fault where that cannot be."""
        raise Fault("a CUDA graph is captured on a GPU alone")

    def make_room(self, bytes_to_evict: int) -> None:
        """Before timed calls."""

    def begin_burst(self) -> None:
        """Notes when timed calls begin."""

    def evict(self, backwards: bool) -> None:
        """Empties the caches before a timed call."""

    def end_burst(self) -> None:
        """Notes when timed calls have ended."""

    def burst_us(self) -> float:
        """Between the two."""
        return 0.0
