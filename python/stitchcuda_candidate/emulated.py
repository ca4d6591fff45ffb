# SPDX-License-Identifier: Apache-2.0
"""Calls in which the emulated device is more like another machine, or does less, than it would: they show who did the
work. src/device/trial.h is the same for programs of the C ABI."""

from __future__ import annotations

import ctypes

_NO_TRIAL, _WITHOUT_KERNELS, _DEVICE_COPIES_ALONE = 0, 2, 3  # CallTrial; the rest of them keep memory apart alone
_ALL, _COPIES, _DEVICE_COPIES = 0, 1, 2  # what runs


class _Range(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class EmulatedDevice:
    """Its functions, looked up before a candidate is there: nobody may do so afterwards."""

    def __init__(self, library: str) -> None:
        opened = ctypes.CDLL(library)
        self._keep_apart, self._run_only = opened.stitch_emulator_keep_apart, opened.stitch_emulator_run_only
        self._keep_apart.argtypes = [ctypes.POINTER(_Range), ctypes.c_size_t]
        self.last_fault = opened.stitch_emulator_last_fault
        self.last_fault.restype = ctypes.c_char_p
        # They open the memory for as long as they take, and let no other thread of Python run.
        held = ctypes.PyDLL(library)
        self.copy, self.equal = held.stitch_emulator_copy, held.stitch_emulator_equal
        for function in (self.copy, self.equal):
            function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.copy.restype = None
        self.enter, self.leave = opened.stitch_emulator_enter_device, opened.stitch_emulator_leave_device

    def begin_trial(self, kind: int, memory: list[tuple[int, int]]) -> None:
        """`memory`: address and bytes of what lies on the device; host code that touches it ends the process."""
        if kind == _NO_TRIAL:
            return
        ranges = [_Range(None, 0)] + [_Range(address, size) for address, size in memory if size > 0]
        self._keep_apart((_Range * len(ranges))(*ranges), len(ranges))
        self._run_only({_WITHOUT_KERNELS: _COPIES, _DEVICE_COPIES_ALONE: _DEVICE_COPIES}.get(kind, _ALL))

    def end_trial(self) -> None:
        """All is as it was."""
        self._run_only(_ALL)
        self._keep_apart(None, 0)
