# SPDX-License-Identifier: Apache-2.0
"""Programs built for the emulated device find cuda* in libstitch_emulator.so, which must be in the process first."""

from __future__ import annotations

import ctypes
import os
import shutil

_NAME = "libstitch_emulator.so"
_loaded: ctypes.CDLL | None = None


class EmulatorMissing(RuntimeError):
    """The emulated device cannot be used in this process; the message says why and what mends it."""


def find_emulator() -> str:
    """The path of libstitch_emulator.so: STITCHCUDA_EMULATOR, a source tree's build/, beside the programs of an
    unpacked tarball, or beside the `stitchcuda` that STITCHCUDA names or PATH finds."""
    named = os.environ.get("STITCHCUDA_EMULATOR")
    if named:
        return named
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    folders = [os.path.join(root, "build"), os.path.join(root, "..", "..", "bin")]
    for program in (os.environ.get("STITCHCUDA"), shutil.which("stitchcuda")):
        if program:
            folders.append(os.path.dirname(os.path.realpath(program)))
    for folder in folders:
        path = os.path.normpath(os.path.join(folder, _NAME))
        if os.path.isfile(path):
            return path
    raise EmulatorMissing(
        f"{_NAME}, the emulated device, was not found: set STITCHCUDA_EMULATOR to its path, or put stitchcuda's own "
        "folder of programs into PATH."
    )


def load_emulator(path: str | None = None) -> ctypes.CDLL:
    """Loads the emulated device once, for all programs of this process."""
    global _loaded
    process = ctypes.CDLL(None)
    if _loaded is None and hasattr(process, "stitch_emulator_last_fault"):
        _loaded = process  # another project's copy of this package has loaded it
    if _loaded is None:
        if hasattr(process, "cudaMalloc"):
            raise EmulatorMissing(
                "This process already has the CUDA runtime (a CUDA build of PyTorch brings it along), and emulated "
                "programs would call that one. Use a CPU build of PyTorch, or run the program on the GPU."
            )
        _loaded = ctypes.CDLL(path or find_emulator(), mode=ctypes.RTLD_GLOBAL)
    return _loaded


def last_fault() -> str:
    """The sentence of the last emulated device fault, with kernel, file and line; "" when there was none."""
    emulator = load_emulator()
    emulator.stitch_emulator_last_fault.restype = ctypes.c_char_p
    return (emulator.stitch_emulator_last_fault() or b"").decode()


def set_schedule_seed(seed: int) -> None:
    """0 runs blocks, warps and lanes in order; any other seed in an order drawn from it."""
    load_emulator().stitch_emulator_set_schedule_seed(ctypes.c_uint64(seed))
