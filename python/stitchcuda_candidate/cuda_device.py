# SPDX-License-Identifier: Apache-2.0
"""Where tensors lie on a GPU: in the keeper's allocations, opened in the context that PyTorch computes in."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import torch

from .channel import Fault
from .cuda_runtime import CudaRuntime, loaded_library
from .eviction import ALIGNMENT, CopyAlone, eviction_beside
from .host_device import HostDevice
from .over import tensor_over

_STAGING_BYTES = 16 << 20
_CALLS_BEFORE_CAPTURE = 3
_LATE_CYCLES = 1_000_000  # half a millisecond
_GARBAGE = 0xFF  # NaN in every floating type
_sleep = torch._C.__dict__.get("_cuda_sleep")  # not in a PyTorch without CUDA
_move = torch.nn.Module.to


class CudaDevice(HostDevice):
    """HostDevice's interface; what it says of order holds for the stream that PyTorch uses unless told otherwise.
    `eviction` is libstitch_eviction.so; without it, in a build that had no nvcc, the runtime copies."""

    name = "cuda"

    def __init__(self, library: str = "", eviction: str = "") -> None:
        self.runtime = library
        self._copy_alone = CopyAlone(eviction) if eviction else None
        self._staging: list[int] = []
        self._late: list[int] = []  # memory to free once the device is idle
        self._eviction: tuple[int, int] | None = None
        self._events: tuple[int, int] | None = None

    def open(self) -> None:
        if not self.runtime:
            self._start_pytorch()
            self.runtime = loaded_library()
        self._runtime = CudaRuntime(self.runtime)
        self._staging = [self._runtime.allocate_pinned(_STAGING_BYTES) for _ in range(2)]
        self._events = self._runtime.make_event(), self._runtime.make_event()
        if self._copy_alone is not None:
            self._check_eviction(self._copy_alone)

    def _check_eviction(self, copy_alone: CopyAlone) -> None:
        """That the kernel runs here, before a candidate could be blamed for it."""
        first = self._runtime.allocate(2 * ALIGNMENT)
        self._runtime.enqueue_fill(first, 0, ALIGNMENT)
        self._runtime.enqueue_fill(first + ALIGNMENT, _GARBAGE, ALIGNMENT)
        copy_alone.enqueue(first, first + ALIGNMENT, ALIGNMENT)
        self._runtime.wait()
        if self.read(first, ALIGNMENT) != bytes([_GARBAGE]) * ALIGNMENT:
            raise Fault("the kernel that empties the L2 cache does not work on this GPU")
        self._runtime.free(first)

    def _start_pytorch(self) -> None:
        if not torch.cuda.is_available():
            raise Fault(f"PyTorch {torch.__version__} of this Python finds no GPU (STITCHCUDA_PYTHON names another)")
        torch.cuda.init()
        torch.empty(1, device="cuda:0")  # the context that everything else is opened in
        self._current_stream, self._stream = torch.cuda.current_stream, torch.cuda.current_stream()
        self._set_stream, self._current_device = torch.cuda.set_stream, torch.cuda.current_device

    def attach(self, token: dict[str, Any], descriptor: int | None) -> tuple[Any, int]:
        address = self._runtime.open_shared(str(token["handle"]))
        return address, address

    def detach(self, block: Any) -> None:
        self._runtime.close_shared(block)

    def tensor(self, block: Any, address: int, shape: list[int], dtype: str) -> torch.Tensor:
        return tensor_over(address, shape, dtype, "cuda")

    def adopt(self, module: torch.nn.Module) -> None:
        device = torch.device("cuda:0")
        for part in module.modules():  # Module.to leaves tensors behind that are plain attributes
            for name, item in list(part.__dict__.items()):
                if isinstance(item, torch.Tensor):
                    part.__dict__[name] = item.to(device)
        _move(module, device)

    def copy(self, to: int, from_: int, size: int) -> None:
        if size > 0:
            self._runtime.enqueue_copy(to, from_, size)

    def equal(self, left: int, right: int, size: int) -> bool:
        for start in range(0, size, _STAGING_BYTES):
            part = min(_STAGING_BYTES, size - start)
            for staged, place in zip(self._staging, (left, right)):
                self._runtime.copy(staged, place + start, part)
            if not super().equal(*self._staging, part):
                return False
        return True

    def read(self, address: int, size: int) -> bytes:
        held = ctypes.create_string_buffer(size)
        self._runtime.copy(ctypes.addressof(held), address, size)
        return held.raw

    def settle(self) -> None:
        self._runtime.wait()
        while self._late:
            self._runtime.free(self._late.pop())

    def has_failed(self) -> bool:
        try:
            self._runtime.wait()
        except Fault:
            return True
        return False

    def arrive_late(self, pieces: list[tuple[int, int]]) -> None:
        held = [(address, size, self._runtime.allocate(size)) for address, size in pieces if size > 0]
        for address, size, kept in held:
            self._runtime.enqueue_copy(kept, address, size)
            self._runtime.enqueue_fill(address, _GARBAGE, size)
        self._runtime.wait()
        if _sleep is not None:
            _sleep(_LATE_CYCLES)
        for address, size, kept in held:
            self._runtime.enqueue_copy(address, kept, size)
        self._late += [kept for _, _, kept in held]

    def called(self) -> None:
        if self._current_stream() != self._stream or self._current_device() != 0:
            self._set_stream(self._stream)
            raise Fault("forward leaves PyTorch with another current stream or device than it was called with")

    def capture(self, forward: Callable[[], Any], begin_again: Callable[[], None]) -> Callable[[], Any]:
        """As PyTorch's documentation of torch.cuda.graph has it: some calls on a stream beside, then the capture."""
        graph = torch.cuda.CUDAGraph()
        try:
            self._warm_up(forward)
            begin_again()
            self._runtime.wait()
            with torch.cuda.graph(graph):
                result = forward()
        except (Fault, RuntimeError) as error:
            raise Fault(f"PyTorch captures no CUDA graph of this program: {error}") from None

        def replay() -> Any:
            graph.replay()
            return result

        return replay

    def _warm_up(self, forward: Callable[[], Any]) -> None:
        """Libraries choose algorithms and allocate in their first calls, which a capture does not allow."""
        beside = torch.cuda.Stream()
        beside.wait_stream(self._current_stream())
        with torch.cuda.stream(beside):
            for _ in range(_CALLS_BEFORE_CAPTURE):
                forward()
        self._current_stream().wait_stream(beside)

    def make_room(self, bytes_to_evict: int) -> None:
        if self._eviction is not None:
            self._runtime.free(self._eviction[0])
        half = (bytes_to_evict + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        self._eviction = (self._runtime.allocate(2 * half), half) if half > 0 else None

    def begin_burst(self) -> None:
        self._runtime.forget_persisting_lines()
        self._runtime.record(self._pair()[0])

    def evict(self, backwards: bool) -> None:
        if self._eviction is None:
            return
        first, half = self._eviction
        second = first + half
        to, from_ = (first, second) if backwards else (second, first)
        if self._copy_alone is not None:
            self._copy_alone.enqueue(to, from_, half)
        else:
            self._runtime.enqueue_copy(to, from_, half)

    def end_burst(self) -> None:
        self._runtime.record(self._pair()[1])

    def burst_us(self) -> float:
        return self._runtime.microseconds(*self._pair())

    def _pair(self) -> tuple[int, int]:
        assert self._events is not None
        return self._events


def open_device(name: str, observer: str) -> HostDevice:
    """By its name in PyTorch. `observer` is a library of ours, beside which others lie."""
    return CudaDevice(eviction=eviction_beside(observer)) if name == "cuda" else HostDevice()
