# SPDX-License-Identifier: Apache-2.0
"""The kernel that empties the L2 cache before a timed call, as native workers have it: it takes all shared memory of
every multiprocessor, so that nothing else runs beside it and hides its time in what is subtracted."""

from __future__ import annotations

import ctypes
import os

from .channel import Fault
from .cuda_runtime import DEFAULT_STREAM

ALIGNMENT = 16  # of addresses and sizes
_NAME = "libstitch_eviction.so"


def eviction_beside(library: str) -> str:
    """Its file in the folder of another library of ours; empty where it was not built."""
    file = os.path.join(os.path.dirname(library), _NAME)
    return file if os.path.exists(file) else ""


class CopyAlone:
    """`library` is libstitch_eviction.so. Loading it starts nothing on the device."""

    def __init__(self, library: str) -> None:
        self._copy = ctypes.CDLL(library).stitch_copy_alone
        self._copy.restype = ctypes.c_int
        self._copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]

    def enqueue(self, to: int, from_: int, size: int) -> None:
        """In the order of the default stream. Raises a Fault for what the device reports."""
        status = self._copy(to, from_, size, DEFAULT_STREAM)
        if status != 0:
            raise Fault(f"emptying the L2 cache failed: CUDA error {status}", "device")
