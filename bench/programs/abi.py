# SPDX-License-Identifier: Apache-2.0
"""The C ABI of a generated program (runtime/include/stitch_program.h), version 1, through ctypes and torch tensors."""
from __future__ import annotations

import ctypes as c

import torch

INPUT, PARAMETER, CONSTANT, STATE, OUTPUT = range(5)
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
          torch.int8, torch.uint8, torch.bool]


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("rank", c.c_int32), ("reserved", c.c_int32), ("extents", c.POINTER(c.c_int64))]


class TensorInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("role", c.c_int32), ("dtype", c.c_int32), ("rank", c.c_int32),
                ("alignment", c.c_int32), ("extents", c.POINTER(c.c_int64)), ("run_time_axes", c.POINTER(c.c_uint8)),
                ("min_extents", c.POINTER(c.c_int64)), ("max_extents", c.POINTER(c.c_int64)), ("alias_of", c.c_int32),
                ("reserved", c.c_int32)]


class Description(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("abi_version", c.c_uint32), ("name", c.c_char_p),
                ("tensor_count", c.c_int32), ("reserved", c.c_int32), ("tensors", c.POINTER(TensorInfo)),
                ("prepared_bytes", c.c_uint64)]


class Parameters(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("abi_version", c.c_uint32), ("count", c.c_int32),
                ("reserved", c.c_int32), ("tensors", c.POINTER(Tensor)), ("prepared_memory", c.c_void_p)]


class Call(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("abi_version", c.c_uint32), ("input_count", c.c_int32),
                ("state_count", c.c_int32), ("output_count", c.c_int32), ("reserved", c.c_int32),
                ("inputs", c.POINTER(Tensor)), ("states_in", c.POINTER(Tensor)), ("states_out", c.POINTER(Tensor)),
                ("outputs", c.POINTER(Tensor)), ("workspace", c.c_void_p), ("workspace_size", c.c_uint64),
                ("stream", c.c_void_p), ("rng_seed", c.c_uint64), ("rng_offset", c.c_uint64)]


HANDLE = c.c_void_p
VTABLE = [("struct_size", c.c_uint32), ("abi_version", c.c_uint32),
          ("describe", c.CFUNCTYPE(c.POINTER(Description))),
          ("create", c.CFUNCTYPE(c.c_int, c.c_int, c.POINTER(HANDLE))),
          ("prepare", c.CFUNCTYPE(c.c_int, HANDLE, c.POINTER(Parameters), c.c_void_p)),
          ("workspace_bytes", c.CFUNCTYPE(c.c_uint64, HANDLE, c.POINTER(Tensor), c.c_int32)),
          ("run", c.CFUNCTYPE(c.c_int, HANDLE, c.POINTER(Call))),
          ("destroy", c.CFUNCTYPE(None, HANDLE)),
          ("last_error", c.CFUNCTYPE(c.c_char_p, HANDLE))]


class Vtable(c.Structure):
    _fields_ = VTABLE


def pack(tensors: list[torch.Tensor]):
    """(array of Tensor, what must stay alive with it)."""
    array, keep = (Tensor * max(len(tensors), 1))(), []
    for slot, tensor in zip(array, tensors):
        extents = (c.c_int64 * max(tensor.dim(), 1))(*tensor.shape)
        keep.append(extents)
        slot.data, slot.rank, slot.extents = tensor.data_ptr(), tensor.dim(), extents
    return array, keep + list(tensors)


class Program:
    """A loaded program on the current CUDA device, prepared with `state_dict` (names as describe() gives them)."""

    def __init__(self, library: str, state_dict: dict[str, torch.Tensor]):
        loaded = c.CDLL(library)
        loaded.stitch_program_v1.restype = c.POINTER(Vtable)
        self.table = loaded.stitch_program_v1().contents
        description = self.table.describe().contents
        self.infos = [description.tensors[i] for i in range(description.tensor_count)]
        self.handle = HANDLE()
        self.check(self.table.create(torch.cuda.current_device(), c.byref(self.handle)))
        named = [self.named(role, state_dict) for role in (PARAMETER, CONSTANT)]
        self.parameters, self.keep = pack(named[0] + named[1])
        self.prepared = torch.empty(max(description.prepared_bytes, 1), dtype=torch.uint8, device="cuda")
        arguments = Parameters(c.sizeof(Parameters), 1, len(named[0] + named[1]), 0, self.parameters,
                               self.prepared.data_ptr())
        self.check(self.table.prepare(self.handle, c.byref(arguments), torch.cuda.current_stream().cuda_stream))
        torch.cuda.synchronize()

    def of_role(self, role: int):
        return [info for info in self.infos if info.role == role]

    def named(self, role: int, state_dict: dict[str, torch.Tensor]) -> list[torch.Tensor]:
        return [state_dict[info.name.decode()].contiguous() for info in self.of_role(role)]

    def check(self, status: int) -> None:
        if status:
            said = self.table.last_error(self.handle) if self.handle else b""
            raise RuntimeError(f"program returned {status}: {(said or b'').decode()}")

    def bind(self, inputs: list[torch.Tensor], states: dict[str, torch.Tensor]):
        """A function of no arguments that enqueues one call on the current stream, and the outputs it writes."""
        infos = self.of_role(STATE)
        before = [states[info.name.decode()].clone() for info in infos if info.alias_of < 0]
        after = [torch.empty_like(tensor) for tensor in before]
        outputs = [torch.empty([info.extents[i] for i in range(info.rank)], dtype=DTYPES[info.dtype], device="cuda")
                   for info in self.of_role(OUTPUT)]
        packs = [pack(group) for group in ([t.contiguous() for t in inputs], before, after, outputs)]
        size = self.table.workspace_bytes(self.handle, packs[0][0], len(inputs))
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        call = Call(c.sizeof(Call), 1, len(inputs), len(before), len(outputs), 0, packs[0][0], packs[1][0],
                    packs[2][0], packs[3][0], workspace.data_ptr(), size, None, 0, 0)

        def run(keep=(packs, workspace)):  # noqa: B006 - the default keeps the memory alive
            call.stream = torch.cuda.current_stream().cuda_stream
            self.check(self.table.run(self.handle, c.byref(call)))

        return run, outputs
