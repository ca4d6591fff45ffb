# SPDX-License-Identifier: Apache-2.0
"""Programs built for the emulated device find cuda* in libstitch_emulator.so."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile

from .installed import find

_NAME = "libstitch_emulator.so"
HOST_LAYER = "libstitch_host_emulated.so"
_loaded: ctypes.CDLL | None = None


class EmulatorMissing(RuntimeError):
    """The emulated device cannot be used in this process; the message says why and what mends it."""


def find_emulator() -> str:
    """The path of libstitch_emulator.so: STITCHCUDA_EMULATOR, or beside stitchcuda's programs."""
    path = os.environ.get("STITCHCUDA_EMULATOR") or find(_NAME)
    if path:
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
        # Where PyTorch has brought the CUDA runtime along, the device's own functions must find each other first.
        mode = os.RTLD_LOCAL | os.RTLD_DEEPBIND if hasattr(process, "cudaMalloc") else os.RTLD_GLOBAL
        _loaded = ctypes.CDLL(path or find_emulator(), mode=mode)
    return _loaded


def load_emulated(path: str, emulator: str | None = None) -> ctypes.CDLL:
    """Loads a program that was built for the emulated device."""
    load_emulator(emulator)
    if hasattr(ctypes.CDLL(None), "stitch_emulator_last_fault"):
        return ctypes.CDLL(path)
    return _beside_cuda(path, emulator or find_emulator())


def _beside_cuda(path: str, emulator: str) -> ctypes.CDLL:
    """For a process that has the real CUDA runtime (a CUDA build of PyTorch), which the program would find first: an
    empty library that needs program, host layer and emulated device, whose own symbols go before the process's."""
    layer = os.path.join(os.path.dirname(emulator), HOST_LAYER)
    parts = [part for part in (path, layer, emulator) if os.path.isfile(part)]
    with tempfile.TemporaryDirectory(prefix="stitchcuda-load-") as folder:
        joined = os.path.join(folder, "joined.so")
        ours = f"-Wl,-rpath,{os.path.dirname(os.path.abspath(emulator))}"  # libraries of ours are needed by name
        command = ["g++", "-shared", "-o", joined, "-Wl,--no-as-needed", ours, *map(os.path.abspath, parts)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise EmulatorMissing(
                "This process has the CUDA runtime (a CUDA build of PyTorch brings it along), and g++, which sets "
                f"emulated programs apart from it, cannot be run ({error.strerror}): install g++."
            ) from error
        if done.returncode != 0:
            raise EmulatorMissing(f"`{' '.join(command)}` failed:\n{done.stderr[-2000:]}")
        return ctypes.CDLL(joined, mode=os.RTLD_LOCAL | os.RTLD_DEEPBIND)


def last_fault() -> str:
    """The sentence of the last emulated device fault, with kernel, file and line; "" when there was none."""
    emulator = load_emulator()
    emulator.stitch_emulator_last_fault.restype = ctypes.c_char_p
    return (emulator.stitch_emulator_last_fault() or b"").decode()


def set_schedule_seed(seed: int) -> None:
    """0 runs blocks, warps and lanes in order; any other seed in an order drawn from it."""
    load_emulator().stitch_emulator_set_schedule_seed(ctypes.c_uint64(seed))
