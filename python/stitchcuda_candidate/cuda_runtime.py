# SPDX-License-Identifier: Apache-2.0
"""The CUDA runtime that PyTorch brought with it: called by address, in the context that PyTorch computes in."""

from __future__ import annotations

import ctypes
from typing import Any

from .channel import Fault

DEFAULT_STREAM = None  # the one that PyTorch uses unless it is told otherwise
_COPY_BY_ADDRESS = 4  # cudaMemcpyDefault
_LAZY_PEER_ACCESS = 1
_PERSISTING_CACHE = 6  # cudaLimitPersistingL2CacheSize
_UNSUPPORTED = (215, 801)  # cudaErrorUnsupportedLimit, cudaErrorNotSupported
_HANDLE_BYTES = 64

_address, _size = ctypes.c_void_p, ctypes.c_size_t


class _Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_ubyte * _HANDLE_BYTES)]


_SIGNATURES: dict[str, list[Any]] = {
    "cudaIpcOpenMemHandle": [ctypes.POINTER(_address), _Handle, ctypes.c_uint],
    "cudaIpcCloseMemHandle": [_address],
    "cudaMalloc": [ctypes.POINTER(_address), _size],
    "cudaMallocHost": [ctypes.POINTER(_address), _size],
    "cudaFree": [_address],
    "cudaMemcpy": [_address, _address, _size, ctypes.c_int],
    "cudaMemcpyAsync": [_address, _address, _size, ctypes.c_int, _address],
    "cudaMemsetAsync": [_address, ctypes.c_int, _size, _address],
    "cudaDeviceSynchronize": [],
    "cudaGetLastError": [],
    "cudaDeviceSetLimit": [ctypes.c_int, _size],
    "cudaCtxResetPersistingL2Cache": [],
    "cudaEventCreate": [ctypes.POINTER(_address)],
    "cudaEventRecord": [_address, _address],
    "cudaEventElapsedTime": [ctypes.POINTER(ctypes.c_float), _address, _address],
}


def loaded_library(maps: str = "/proc/self/maps") -> str:
    """The file of the CUDA runtime in this process. Raises a Fault where there is none."""
    with open(maps, encoding="utf-8") as lines:
        for line in lines:
            file = line.split(maxsplit=5)[-1].strip()
            if file.rpartition("/")[2].startswith("libcudart.so"):
                return file
    raise Fault("this PyTorch brings no libcudart.so: its tensors cannot be shared with another process")


class CudaRuntime:
    """`library` is opened as it is; each call raises a Fault for what the device reports."""

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)
        for name, types in _SIGNATURES.items():
            function = getattr(self._library, name)
            function.argtypes, function.restype = types, ctypes.c_int
        self._library.cudaGetErrorString.restype = ctypes.c_char_p
        self._library.cudaGetErrorString.argtypes = [ctypes.c_int]

    def _call(self, doing: str, name: str, *arguments: Any) -> None:
        status = getattr(self._library, name)(*arguments)
        if status != 0:
            said = (self._library.cudaGetErrorString(status) or b"").decode(errors="replace")
            raise Fault(f"{doing} failed: {said or f'CUDA error {status}'}", "device")

    def _made(self, doing: str, name: str, *arguments: Any) -> int:
        made = _address()
        self._call(doing, name, ctypes.byref(made), *arguments)
        return int(made.value or 0)

    def open_shared(self, handle: str) -> int:
        """The address of another process's allocation, by its handle in hexadecimal."""
        data = bytes.fromhex(handle)
        if len(data) != _HANDLE_BYTES:
            raise Fault("a memory handle is not of the form that cudaIpc gives")
        opened = _Handle.from_buffer_copy(data)
        return self._made("opening shared GPU memory", "cudaIpcOpenMemHandle", opened, _LAZY_PEER_ACCESS)

    def close_shared(self, address: int) -> None:
        """Lets go of it."""
        self._call("closing shared GPU memory", "cudaIpcCloseMemHandle", address)

    def allocate(self, size: int) -> int:
        """Memory on the GPU, beside PyTorch's."""
        return self._made(f"allocating {size} bytes on the GPU", "cudaMalloc", size)

    def allocate_pinned(self, size: int) -> int:
        """Memory of the host that copies go to at full speed."""
        return self._made(f"allocating {size} bytes", "cudaMallocHost", size)

    def free(self, address: int) -> None:
        """Gives GPU memory back."""
        self._call("freeing GPU memory", "cudaFree", address)

    def enqueue_copy(self, to: int, from_: int, size: int) -> None:
        """Between any two places, in the order of the default stream."""
        self._call("moving memory", "cudaMemcpyAsync", to, from_, size, _COPY_BY_ADDRESS, DEFAULT_STREAM)

    def enqueue_fill(self, address: int, byte: int, size: int) -> None:
        """Likewise."""
        self._call("filling memory", "cudaMemsetAsync", address, byte, size, DEFAULT_STREAM)

    def copy(self, to: int, from_: int, size: int) -> None:
        """The same, and done when this returns where one of the two is the host's."""
        self._call("moving memory", "cudaMemcpy", to, from_, size, _COPY_BY_ADDRESS)

    def wait(self) -> None:
        """For all work on the device, of every stream."""
        self._call("the work on the device", "cudaDeviceSynchronize")
        self._call("the work on the device", "cudaGetLastError")

    def forget_persisting_lines(self) -> None:
        """Takes back L2 cache that a program reserved."""
        if self._library.cudaDeviceSetLimit(_PERSISTING_CACHE, 0) in _UNSUPPORTED:
            self._library.cudaGetLastError()
            return
        self._call("emptying reserved L2 cache", "cudaCtxResetPersistingL2Cache")

    def make_event(self) -> int:
        """An event that takes the time."""
        return self._made("making an event", "cudaEventCreate")

    def record(self, event: int) -> None:
        """In the order of the default stream."""
        self._call("recording an event", "cudaEventRecord", event, DEFAULT_STREAM)

    def microseconds(self, start: int, stop: int) -> float:
        """Between two events that have passed."""
        milliseconds = ctypes.c_float()
        self._call("reading the events", "cudaEventElapsedTime", ctypes.byref(milliseconds), start, stop)
        return 1e3 * milliseconds.value
