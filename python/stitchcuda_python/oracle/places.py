# SPDX-License-Identifier: Apache-2.0
"""Tensors that stay where they are: named to other processes, and read where they name theirs. On a GPU by cudaIpc, on
a CPU by files in memory."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from ..failures import ENVIRONMENT, Failure
from ..weights.raw import raw_bytes, write_raw

_HANDLE_BYTES = 64
_LAZY_PEER_ACCESS = 1


class _Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_ubyte * _HANDLE_BYTES)]


def _driver() -> ctypes.CDLL:
    library = ctypes.CDLL("libcuda.so.1")
    library.cuMemGetAddressRange_v2.argtypes = [
        ctypes.POINTER(ctypes.c_uint64),
        ctypes.POINTER(ctypes.c_size_t),
        ctypes.c_uint64,
    ]
    library.cuIpcGetMemHandle.argtypes = [ctypes.POINTER(_Handle), ctypes.c_uint64]
    library.cuIpcOpenMemHandle_v2.argtypes = [ctypes.POINTER(ctypes.c_uint64), _Handle, ctypes.c_uint]
    library.cuIpcCloseMemHandle.argtypes = [ctypes.c_uint64]
    return library


def _check(status: int, what: str) -> None:
    if status != 0:
        raise Failure(ENVIRONMENT, f"The GPU's driver failed at {what} (error {status}).", "", "Restart the GPU.")


def name_tensor(tensor: torch.Tensor, path: str) -> dict[str, Any]:
    """The place of a contiguous tensor: {handle, offset, bytes}. On a CPU its bytes are written to `path`."""
    size = tensor.numel() * tensor.element_size()
    if tensor.device.type == "cpu" or size == 0:
        return {"handle": write_raw(tensor, path), "offset": 0, "bytes": size}
    driver = _driver()
    base, whole, handle = ctypes.c_uint64(), ctypes.c_size_t(), _Handle()
    address = tensor.data_ptr()
    _check(driver.cuMemGetAddressRange_v2(ctypes.byref(base), ctypes.byref(whole), address), "finding a block")
    _check(driver.cuIpcGetMemHandle(ctypes.byref(handle), base.value), "sharing a block")
    torch.cuda.synchronize(tensor.device)  # whoever reads it does not know this process's streams
    return {"handle": bytes(handle.reserved).hex(), "offset": address - base.value, "bytes": size}


class _Memory:
    """Memory of the device for torch.as_tensor."""

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}


@contextmanager
def opened(place: dict[str, Any], like: torch.Tensor) -> Iterator[torch.Tensor]:
    """The tensor at a place that another process named, of the shape and dtype of `like`. Valid within the block."""
    size, offset = int(place["bytes"]), int(place["offset"])
    if size != like.numel() * like.element_size():
        raise Failure(ENVIRONMENT, f"An output of {size} bytes came for one of {like.numel()} elements.", "", "")
    handle = str(place["handle"])
    if handle.startswith("/"):
        with open(handle, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            copied = torch.frombuffer(bytearray(view[offset : offset + size]), dtype=like.dtype)
        yield copied.reshape(like.shape)
        return
    driver, address = _driver(), ctypes.c_uint64()
    raw = _Handle((ctypes.c_ubyte * _HANDLE_BYTES).from_buffer_copy(bytes.fromhex(handle)))
    status = driver.cuIpcOpenMemHandle_v2(ctypes.byref(address), raw, _LAZY_PEER_ACCESS)
    _check(status, "opening another process's block")
    try:
        flat = torch.as_tensor(_Memory(address.value + offset, size), device=like.device)
        yield flat.view(like.dtype).reshape(like.shape)
        del flat
    finally:
        torch.cuda.synchronize(like.device)
        _check(driver.cuIpcCloseMemHandle(address.value), "closing another process's block")


def write_ranges(tensor: torch.Tensor, ranges: list[tuple[int, int]], path: str) -> str:
    """A file of all of `tensor`'s bytes in which only those of these elements are written: the rest are zeros that take
    no memory."""
    flat, width = tensor.detach().reshape(-1), tensor.element_size()
    with open(path, "wb") as stream:
        stream.truncate(flat.numel() * width)
        for first, last in ranges:
            stream.seek(first * width)
            host = flat[first:last].to("cpu").contiguous()
            stream.write(raw_bytes(host))
    return path


def release_unused() -> None:
    """Gives memory that PyTorch only keeps for later back to the GPU, which others share. Asking whether there is a GPU
    starts its driver, in each process for itself: whoever has not used it keeps nothing."""
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def peak_bytes() -> int:
    """The most that tensors of this process took on the GPU since the last call; 0 without one."""
    if not torch.cuda.is_initialized():
        return 0
    most = torch.cuda.max_memory_reserved()
    torch.cuda.reset_peak_memory_stats()
    return most
