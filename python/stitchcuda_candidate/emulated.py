# SPDX-License-Identifier: Apache-2.0
"""Calls in which the emulated device is more like another machine, or does less, than it would: they show who did the
work. src/device/trial.h is the same for programs of the C ABI."""

from __future__ import annotations

import ctypes
import types

from .raised import own_codes

_NO_TRIAL, _WITHOUT_KERNELS, _DEVICE_COPIES_ALONE = 0, 2, 3  # CallTrial; others keep memory apart alone, but for
_WITHOUT_KERNELS_OPEN = 5  # which is no other here: a ModelNew's PyTorch is the device where memory is open
_ALL, _COPIES, _DEVICE_COPIES = 0, 1, 2  # what runs
# stitch_device_functions
_FUNCTIONS = (
    "keep_apart run_only copy equal enter_device leave_device keep_commands keep_commands_from "
    "put_first_contents_back forget_commands count_commands begin_playing play_up_to end_playing"
).split()


class _Range(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class EmulatedDevice:
    """Its functions lie in the observer, which lets nobody but this package's own code call them
    (src/observer/device_gate.h). Made before a candidate is there, and after all modules of this package."""

    def __init__(self, library: str, observer: str) -> None:
        opened = ctypes.CDLL(library)
        addresses = [ctypes.cast(getattr(opened, f"stitch_emulator_{name}"), ctypes.c_void_p) for name in _FUNCTIONS]
        self.last_fault = opened.stitch_emulator_last_fault
        self.last_fault.restype = ctypes.c_char_p
        # PyDLL: they look at Python's stack, and no other thread of Python runs while memory is open.
        gate = ctypes.PyDLL(observer)
        codes = [id(code) for code in _with_inner(own_codes())]
        gate.stitch_observer_keep_device(
            (ctypes.c_void_p * len(addresses))(*addresses), (ctypes.c_void_p * len(codes))(*codes),
            ctypes.c_size_t(len(codes)),
        )  # fmt: skip
        self.copy, self.equal = gate.stitch_observer_copy, gate.stitch_observer_equal
        for function in (self.copy, self.equal):
            function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.copy.restype = None
        self._begin, self._end = gate.stitch_observer_begin_trial, gate.stitch_observer_end_trial
        self._begin.argtypes = [ctypes.POINTER(_Range), ctypes.c_size_t, ctypes.c_int]
        self._end.argtypes = [ctypes.c_int]
        self._begin.restype = self._end.restype = None
        self.end_keeping, self.forget_commands = gate.stitch_observer_end_keeping, gate.stitch_observer_forget_commands
        self.count_commands, self.play_up_to = gate.stitch_observer_count_commands, gate.stitch_observer_play_up_to
        self.end_playing, self._begin_playing = gate.stitch_observer_end_playing, gate.stitch_observer_begin_playing
        self.put_first_contents_back = gate.stitch_observer_put_first_contents_back
        self._keep_commands_from = gate.stitch_observer_keep_commands_from
        for function in (self.end_keeping, self.forget_commands, self.end_playing, self.put_first_contents_back):
            function.restype = None
        self._keep_commands_from.restype = None
        self._keep_commands_from.argtypes = [ctypes.POINTER(_Range), ctypes.c_size_t]
        self.count_commands.restype = ctypes.c_size_t
        self.play_up_to.argtypes = [ctypes.c_size_t]
        self._begin_playing.argtypes = [ctypes.POINTER(_Range), ctypes.c_size_t, ctypes.c_size_t]

    def begin_trial(self, kind: int, memory: list[tuple[int, int]]) -> None:
        """`memory`: address and bytes of what lies on the device; host code that touches it ends the process."""
        if kind == _NO_TRIAL:
            return
        ranges = [_Range(None, 0)] + [_Range(address, size) for address, size in memory if size > 0]
        without = {_WITHOUT_KERNELS: _COPIES, _WITHOUT_KERNELS_OPEN: _COPIES, _DEVICE_COPIES_ALONE: _DEVICE_COPIES}
        runs = without.get(kind, _ALL)
        self._begin((_Range * len(ranges))(*ranges), len(ranges), runs)

    def keep_commands(self, memory: list[tuple[int, int]]) -> None:
        """Until end_keeping(); what these extents hold now can be put back before the commands are played."""
        ranges = [_Range(address, size) for address, size in memory]
        self._keep_commands_from((_Range * len(ranges))(*ranges), len(ranges))

    def begin_playing(self, given_back: list[tuple[int, int]], others: list[tuple[int, int]]) -> bool:
        """The commands that were kept, from the first one on. All of these extents are the device's memory; what
        `given_back` holds now it holds again after end_playing()."""
        ranges = [_Range(address, size) for address, size in [*given_back, *others]]
        return bool(self._begin_playing((_Range * len(ranges))(*ranges), len(ranges), len(given_back)))

    def end_trial(self) -> None:
        """All is as it was."""
        self._end(_ALL)


def _with_inner(codes: frozenset[types.CodeType]) -> set[types.CodeType]:
    """These and the functions, lambdas and comprehensions inside of them."""
    found = set(codes)
    waiting = list(codes)
    while waiting:
        inner = [item for item in waiting.pop().co_consts if isinstance(item, types.CodeType)]
        waiting += [code for code in inner if code not in found]
        found.update(inner)
    return found
