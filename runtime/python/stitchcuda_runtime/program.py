# SPDX-License-Identifier: Apache-2.0
"""A program's shared library: what it takes and gives, and its calls over torch tensors.

    program = Program(load_library("build/mlp.so"), "cpu")          # "cpu": built for the emulated device
    program.prepare(state_dict)                                     # after every change of a parameter
    outputs, new_states = program.run([x])

On a GPU everything is enqueued on torch's current stream.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from . import structures as s
from .emulator import load_emulated
from .host import Graphs

_MEMORY_ALIGNMENT = 256
_TENSOR_ALIGNMENT = 16
_REFUSED = 2**64 - 1


class ProgramError(RuntimeError):
    """A program refused a call; the message is its own sentence."""


@dataclass(frozen=True)
class TensorSpec:
    """One tensor of a program. `shape` is the declared one; where `minimum` and `maximum` differ, the extent of that
    axis is a run-time argument."""

    name: str
    role: int
    dtype: torch.dtype
    shape: tuple[int, ...]
    minimum: tuple[int, ...]
    maximum: tuple[int, ...]
    alias_of: int
    is_optional: bool = False  # random numbers in place of drawn ones

    @staticmethod
    def read(info: s.TensorInfo) -> TensorSpec:
        extents, least, most = (
            tuple(values[axis] for axis in range(info.rank))
            for values in (info.extents, info.min_extents, info.max_extents)
        )
        return TensorSpec(
            info.name.decode(), info.role, s.DTYPES[info.dtype], extents, least, most, info.alias_of, info.optional != 0
        )

    @property
    def run_time_axes(self) -> list[int]:
        return [axis for axis in range(len(self.shape)) if self.minimum[axis] != self.maximum[axis]]


def load_library(path: str, emulated: bool = True, emulator: str | None = None) -> ctypes.CDLL:
    """Loads a program's shared library, built for a GPU or for the emulated device."""
    library = load_emulated(path, emulator) if emulated else ctypes.CDLL(path)
    library.stitch_program_v1.restype = ctypes.POINTER(s.ProgramTable)
    return library


def aligned_bytes(size: int, device: torch.device) -> torch.Tensor:
    """Uninitialised memory for prepare() and run(), aligned as they ask for."""
    memory = torch.empty(size + _MEMORY_ALIGNMENT, dtype=torch.uint8, device=device)
    start = -memory.data_ptr() % _MEMORY_ALIGNMENT
    return memory[start : start + size]


def as_argument(tensor: torch.Tensor) -> torch.Tensor:
    """`tensor` itself where the ABI takes it, else a contiguous, aligned copy."""
    tensor = tensor.detach()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    tensor = tensor.contiguous()
    return tensor if tensor.data_ptr() % _TENSOR_ALIGNMENT == 0 else tensor.clone()


class Program:
    """One handle of a loaded program on one device: used by one thread at a time."""

    def __init__(self, library: ctypes.CDLL, device: torch.device | str = "cpu") -> None:
        self.device = torch.device(device)
        self.library = library
        self.table = library.stitch_program_v1().contents
        description = self.table.describe().contents
        if (description.struct_size, description.abi_version) != (ctypes.sizeof(s.Description), s.ABI_VERSION):
            raise ProgramError(f"The program has version {description.abi_version} of the C ABI, not {s.ABI_VERSION}.")
        self.name = description.name.decode()
        self.prepared_bytes = description.prepared_bytes
        specs = [TensorSpec.read(description.tensors[index]) for index in range(description.tensor_count)]
        # Random numbers could be handed in, as the last inputs; the program draws its own.
        self.inputs = [spec for spec in specs if spec.role == s.INPUT and not spec.is_optional]
        self.parameters = [spec for spec in specs if spec.role in (s.PARAMETER, s.CONSTANT)]
        self.states = [spec for spec in specs if spec.role == s.STATE and spec.alias_of < 0]
        self.outputs = [spec for spec in specs if spec.role == s.OUTPUT]
        self.handle = s.Handle()
        self._prepared: tuple[s.TensorArray, torch.Tensor] | None = None
        self._workspace: dict[int, torch.Tensor] = {}  # by stream
        index = self.device.index if self.device.index is not None else 0
        self.check(self.table.create(index, ctypes.byref(self.handle)), f"cannot be created on device {self.device}")

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.table.destroy(self.handle)
            self.handle = s.Handle()

    def check(self, status: int, what: str) -> None:
        """Raises the program's own sentence where `status` is not 0."""
        if status != s.OK:
            said = (self.table.last_error(self.handle) or b"").decode() if self.handle else ""
            raise ProgramError(f"{self.name} {what}: {said or f'error {status}'}")

    def stream(self) -> int | None:
        """The stream that calls are enqueued on: torch's current one."""
        return torch.cuda.current_stream(self.device).cuda_stream if self.device.type == "cuda" else None

    def prepare(self, values: Mapping[str, torch.Tensor]) -> None:
        """Takes parameters and constants by name, and does the work that depends on them alone. They stay in use: call
        this again whenever one changes."""
        missing = [spec.name for spec in self.parameters if spec.name not in values]
        if missing:
            raise ProgramError(f"{self.name} lacks values for {', '.join(missing)}.")
        tensors = s.TensorArray([as_argument(values[spec.name]) for spec in self.parameters])
        memory = self._prepared[1] if self._prepared else aligned_bytes(self.prepared_bytes, self.device)
        arguments = s.Parameters(
            ctypes.sizeof(s.Parameters), s.ABI_VERSION, len(tensors), 0, tensors.array, memory.data_ptr()
        )
        self._prepared = (tensors, memory)
        self.check(self.table.prepare(self.handle, ctypes.byref(arguments), self.stream()), "cannot be prepared")

    @property
    def prepared_addresses(self) -> list[int]:
        """Where parameters, constants and prepared memory lie: what recorded graphs have baked in."""
        if self._prepared is None:
            return []
        return [tensor.data_ptr() for tensor in (*self._prepared[0].tensors, self._prepared[1])]

    def output_shapes(self, inputs: Sequence[torch.Tensor]) -> list[tuple[int, ...]]:
        """The outputs' shapes for these inputs. Extents that follow the batch do so in proportion: least and greatest
        extents of an axis belong to the least and the greatest batch."""
        batch = next(((spec, axis) for spec in self.inputs for axis in spec.run_time_axes), None)
        if batch is None:
            return [spec.shape for spec in self.outputs]
        spec, axis = batch
        least, most = spec.minimum[axis], spec.maximum[axis]
        above = inputs[self.inputs.index(spec)].shape[axis] - least

        def extent(low: int, high: int) -> int:
            return low + (high - low) * above // (most - least)

        return [tuple(extent(*pair) for pair in zip(spec.minimum, spec.maximum)) for spec in self.outputs]

    def workspace(self, inputs: s.TensorArray) -> torch.Tensor:
        """Memory for a call on the current stream, kept for the next one."""
        size = self.table.workspace_bytes(self.handle, inputs.array, len(inputs))
        if size == _REFUSED:
            self.check(1, "refuses these inputs")
        key = self.stream() or 0
        present = self._workspace.get(key)
        if present is None or present.numel() < size:
            present = self._workspace[key] = aligned_bytes(size, self.device)
        return present

    def bind(
        self,
        inputs: Sequence[torch.Tensor],
        states: Mapping[str, torch.Tensor] | None = None,
        seed: int = 0,
        offset: int = 0,
        in_place: bool = False,
    ) -> BoundCall:
        """A call on these tensors, to be run any number of times; in_place: new states are written over the given."""
        given = states or {}
        missing = [spec.name for spec in self.states if spec.name not in given]
        if missing:
            raise ProgramError(f"{self.name} lacks the states {', '.join(missing)}.")
        before = [as_argument(given[spec.name]) for spec in self.states]
        arguments = [as_argument(tensor) for tensor in inputs]
        return BoundCall(self, arguments, before, seed, offset, before if in_place else None)

    def run(
        self,
        inputs: Sequence[torch.Tensor],
        states: Mapping[str, torch.Tensor] | None = None,
        seed: int = 0,
        offset: int = 0,
    ) -> tuple[list[torch.Tensor], dict[str, torch.Tensor]]:
        """One call: the outputs in order, and every state's new value by name. The given states are not changed."""
        call = self.bind(inputs, states, seed, offset)
        call.run()
        return call.outputs, {spec.name: value for spec, value in zip(self.states, call.new_states)}


class BoundCall:
    """One call's tensors. run() enqueues it on torch's current stream, through recorded graphs where given some."""

    def __init__(
        self,
        program: Program,
        inputs: list[torch.Tensor],
        states: list[torch.Tensor],
        seed: int = 0,
        offset: int = 0,
        new_states: list[torch.Tensor] | None = None,
    ) -> None:
        self.program = program
        self.new_states = [torch.empty_like(state) for state in states] if new_states is None else new_states
        self.outputs = [
            torch.empty(shape, dtype=spec.dtype, device=program.device)
            for spec, shape in zip(program.outputs, program.output_shapes(inputs))
        ]
        self._arrays = [s.TensorArray(group) for group in (inputs, states, self.new_states, self.outputs)]
        arrays = [array.array for array in self._arrays]
        counts = (len(inputs), len(states), len(self.outputs))
        self.call = s.Call(ctypes.sizeof(s.Call), s.ABI_VERSION, *counts, 0, *arrays)
        self.call.rng_seed, self.call.rng_offset = seed, offset

    def run(self, graphs: Graphs | None = None) -> None:
        workspace = self.program.workspace(self._arrays[0])
        self.call.workspace, self.call.workspace_size = workspace.data_ptr(), workspace.numel()
        self.call.stream = self.program.stream()
        if graphs is None:
            status = self.program.table.run(self.program.handle, ctypes.byref(self.call))
        else:
            status = graphs.run(self.call)
        self.program.check(status, "cannot be run")
