# SPDX-License-Identifier: Apache-2.0
"""The structs of runtime/include/stitch_program.h, version 1, for ctypes. Fields are in the header's order."""

from __future__ import annotations

import ctypes as c

import torch

ABI_VERSION = 1
OK = 0
INPUT, PARAMETER, CONSTANT, STATE, OUTPUT = range(5)
DTYPES = (
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
)
Handle = c.c_void_p
_VERSION = [("struct_size", c.c_uint32), ("abi_version", c.c_uint32)]


class Tensor(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("rank", c.c_int32),
        ("reserved", c.c_int32),
        ("extents", c.POINTER(c.c_int64)),
    ]


class TensorInfo(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("role", c.c_int32),
        ("dtype", c.c_int32),
        ("rank", c.c_int32),
        ("alignment", c.c_int32),
        ("extents", c.POINTER(c.c_int64)),
        ("run_time_axes", c.POINTER(c.c_uint8)),
        ("min_extents", c.POINTER(c.c_int64)),
        ("max_extents", c.POINTER(c.c_int64)),
        ("alias_of", c.c_int32),
        ("optional", c.c_int32),
    ]


class Description(c.Structure):
    _fields_ = [
        *_VERSION,
        ("name", c.c_char_p),
        ("tensor_count", c.c_int32),
        ("reserved", c.c_int32),
        ("tensors", c.POINTER(TensorInfo)),
        ("prepared_bytes", c.c_uint64),
    ]


class Parameters(c.Structure):
    _fields_ = [
        *_VERSION,
        ("count", c.c_int32),
        ("reserved", c.c_int32),
        ("tensors", c.POINTER(Tensor)),
        ("prepared_memory", c.c_void_p),
    ]


class Call(c.Structure):
    _fields_ = [
        *_VERSION,
        ("input_count", c.c_int32),
        ("state_count", c.c_int32),
        ("output_count", c.c_int32),
        ("reserved", c.c_int32),
        ("inputs", c.POINTER(Tensor)),
        ("states_in", c.POINTER(Tensor)),
        ("states_out", c.POINTER(Tensor)),
        ("outputs", c.POINTER(Tensor)),
        ("workspace", c.c_void_p),
        ("workspace_size", c.c_uint64),
        ("stream", c.c_void_p),
        ("rng_seed", c.c_uint64),
        ("rng_offset", c.c_uint64),
    ]


class ProgramTable(c.Structure):
    """StitchProgramV1."""

    _fields_ = [
        *_VERSION,
        ("describe", c.CFUNCTYPE(c.POINTER(Description))),
        ("create", c.CFUNCTYPE(c.c_int, c.c_int, c.POINTER(Handle))),
        ("prepare", c.CFUNCTYPE(c.c_int, Handle, c.POINTER(Parameters), c.c_void_p)),
        ("workspace_bytes", c.CFUNCTYPE(c.c_uint64, Handle, c.POINTER(Tensor), c.c_int32)),
        ("run", c.CFUNCTYPE(c.c_int, Handle, c.POINTER(Call))),
        ("destroy", c.CFUNCTYPE(None, Handle)),
        ("last_error", c.CFUNCTYPE(c.c_char_p, Handle)),
    ]


class TensorArray:
    """torch tensors as an array of StitchTensor. The tensors and their extents live as long as this object."""

    def __init__(self, tensors: list[torch.Tensor]) -> None:
        self.tensors = tensors
        self.array = (Tensor * max(len(tensors), 1))()
        self._extents = [(c.c_int64 * max(tensor.dim(), 1))(*tensor.shape) for tensor in tensors]
        for slot, tensor, extents in zip(self.array, tensors, self._extents):
            slot.data, slot.rank, slot.extents = tensor.data_ptr(), tensor.dim(), extents

    def __len__(self) -> int:
        return len(self.tensors)
