# SPDX-License-Identifier: Apache-2.0
"""Tensors over memory that PyTorch does not own, by way of DLPack (its ABI: dlpack.h, version 0.8): it takes every
element type that the protocol has, and needs no NumPy, which __cuda_array_interface__ does in PyTorch."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import torch

_KINDS = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "bool": 6}
_DEVICES = {"cpu": 1, "cuda": 2}


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_from_capsule = torch._C._from_dlpack
_NAME = b"dltensor"  # a capsule keeps its name's address
_alive: dict[int, Any] = {}
_deleter_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@functools.cache
def _deleter() -> Any:
    """Made when it is needed: it takes memory that is executed, which there is only on a GPU."""

    def forget(managed: int) -> None:
        _alive.pop(managed, None)

    return _deleter_type(forget)


def tensor_over(address: int, shape: list[int], dtype: str, device: str, owner: Any = None) -> torch.Tensor:
    """A contiguous tensor whose elements begin at `address` on "cpu" or "cuda". It keeps `owner` alive."""
    kind = dtype.rstrip("0123456789")
    bits = 8 if kind == "bool" else int(dtype[len(kind) :])
    extents = (ctypes.c_int64 * len(shape))(*shape)
    managed = _Managed()
    managed.tensor = _Tensor(address, _DEVICES[device], 0, len(shape), _DataType(_KINDS[kind], bits, 1), extents)
    managed.deleter = ctypes.cast(_deleter(), ctypes.c_void_p)
    _alive[ctypes.addressof(managed)] = managed, extents, owner
    return _from_capsule(_new_capsule(ctypes.addressof(managed), _NAME, None))
