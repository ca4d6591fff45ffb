# SPDX-License-Identifier: Apache-2.0
"""What a call of a ModelNew did on the emulated device, so that it can be done once more on other contents while none
of its host code runs: kernels and copies of the device's (emulator/runtime/control/tape.h), PyTorch's copies and sets
between them. What nobody saw being done on the device stays as it lies, and counts as the host's word."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .emulated import EmulatedDevice
from .operators import ALLOCATIONS, COUNTED, QUESTIONS, SCALARS, VIEWS
from .storage import Extent, lies_in
from .types import data_pointer, is_plain

_MAX_BYTES = 256 << 20  # of a call that holds more nothing can be said
_FROM_FIRST = frozenset("aten::clone aten::_to_copy aten::contiguous aten::pin_memory aten::_pin_memory".split())
_ALIKE = frozenset(
    f"aten::{name}"
    for name in "zeros zeros_like new_zeros zero_ ones ones_like new_ones full full_like new_full fill_".split()
)
_GIVEN = frozenset("aten::scalar_tensor aten::lift_fresh aten::lift aten::tensor".split())
_MOVED = frozenset("aten::resize_ aten::set_".split())  # what they leave is gone before it is used again
_QUIET = frozenset(f"aten::{name}" for name in (*ALLOCATIONS, *VIEWS, *QUESTIONS, *SCALARS)) - _MOVED

_Base = torch._C.TensorBase
_copy, _clone, _expand, _as_strided = _Base.copy_, _Base.clone, _Base.expand_as, _Base.as_strided
_numel, _offset, _detach = _Base.numel, _Base.storage_offset, _Base.detach
_storage = torch.Tensor.untyped_storage
_HERE = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


class Tape(TorchDispatchMode):  # type: ignore[misc]
    """Of the last whole call of a process; entered while forward runs."""

    def __init__(self, device: EmulatedDevice) -> None:
        super().__init__()
        self._device = device
        self._steps: list[tuple[int, torch.Tensor, torch.Tensor]] = []  # after so many commands, to, from
        self._kept: dict[int, Any] = {}  # storages of the call, by where they lie
        self._before: dict[int, Any] = {}  # those that were there before it, whose first contents are kept
        self._bytes = 0
        self._is_whole = False
        self._known: dict[int, weakref.ref[torch.Tensor]] = {}  # tensors of earlier calls too
        self.counted_twice = dict.fromkeys(COUNTED, 0)  # how often an observer saw what ran once

    def begin(self, module: torch.nn.Module, others: Iterable[Extent]) -> None:
        """Commands are kept from now on, and what the module and tensors of earlier calls hold; `others` have their
        contents from elsewhere."""
        self.forget()
        storages = [*held_by(module), *self._storages_known()]
        self._before = {
            each.data_ptr(): each for each in storages if each.nbytes() and not lies_in(each.data_ptr(), others)
        }
        first = [(address, storage.nbytes()) for address, storage in self._before.items()]
        self._is_whole = sum(size for _, size in first) <= _MAX_BYTES
        self._device.keep_commands(first if self._is_whole else [])

    def end(self) -> None:
        """The call has ended."""
        self._device.end_keeping()

    def forget(self) -> None:
        """What the call held is free."""
        self._device.forget_commands()
        self._steps, self._kept, self._before, self._bytes, self._is_whole = [], {}, {}, 0, False

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Sees each operator, from Python or from C++, and whatever it gives."""
        schema = getattr(function, "_schema", None)  # none of an operator that takes functions
        name = "" if schema is None else str(schema.name)
        if schema is None or name.startswith("aten::") or not _has_kernel(name, schema.overload_name):
            result = function(*args, **(kwargs or {}))
            self._note(name, args, kwargs or {}, result)
            return result
        with self:  # an operator of the candidate's own: what it does is what it calls
            return function._handle.redispatch_boxed(_HERE, *args, **(kwargs or {}))

    def _note(self, name: str, args: Any, kwargs: dict[str, Any], result: Any) -> None:
        if name in self.counted_twice:
            self.counted_twice[name] += 1
        if not self._is_whole:
            return
        for tensor in _tensors_in((args, tuple(kwargs.values()), result)):
            self._keep(tensor)
        if name == "aten::copy_":
            self._add(args[0], args[1])
        elif name in _FROM_FIRST:
            self._add(result, args[0])
        elif name == "aten::fill_" and isinstance(args[1], torch.Tensor):
            self._add(args[0], args[1])
        elif name in _ALIKE:
            self._add_alike(result)
        elif name in _GIVEN and _numel(result) > 0:
            self._add(result, self._cloned(result))
        elif name not in _QUIET:
            self._is_whole = False

    def _add(self, to: Any, from_: Any) -> None:
        if self._is_whole and isinstance(to, torch.Tensor) and isinstance(from_, torch.Tensor) and to is not from_:
            # Tensors as they lie now: they may be turned in place, or have other memory, before the call ends.
            self._steps.append((self._device.count_commands(), _detach(to), _detach(from_)))

    def _add_alike(self, to: torch.Tensor) -> None:
        if _numel(to) > 0:
            self._add(to, self._cloned(_as_strided(to, (1,) * to.dim(), (1,) * to.dim(), _offset(to))))

    def _cloned(self, tensor: torch.Tensor) -> torch.Tensor:
        for name in ("aten::clone", "aten::copy_"):
            self.counted_twice[name] += 1
        return _clone(tensor)

    def _keep(self, tensor: torch.Tensor) -> None:
        if not is_plain(tensor):
            self._is_whole = False
            return
        storage = _storage(tensor)
        self._known[id(tensor)] = weakref.ref(tensor)
        if storage.data_ptr() not in self._kept:
            self._kept[storage.data_ptr()] = storage
            self._bytes += storage.nbytes()
        if self._bytes > _MAX_BYTES:
            self._is_whole = False
            self._kept = {}

    def is_whole(self) -> bool:
        """Whether the call can be done once more."""
        return self._is_whole

    def extents(self) -> list[Extent]:
        """Of all storages that were seen in this call, and those of earlier ones that are still there."""
        storages = [*self._before.values(), *self._kept.values(), *self._storages_known()]
        found = {storage.data_ptr(): storage.nbytes() for storage in storages}
        return [(address, size) for address, size in found.items() if address and size]

    def _storages_known(self) -> Iterator[Any]:
        self._known = {key: known for key, known in self._known.items() if known() is not None}
        for known in self._known.values():
            if (tensor := known()) is not None and is_plain(tensor) and data_pointer(tensor):
                yield _storage(tensor)

    def play(self) -> bool:
        """Does all of it once more. Answers whether that ended well."""
        try:
            with torch.no_grad():
                for position, to, from_ in self._steps:
                    if not self._device.play_up_to(position):
                        return False
                    _copy(to, _expand(from_, to))
                    self.counted_twice["aten::copy_"] += 1
        except RuntimeError:  # of PyTorch, of tensors that fit no more: nothing can be said
            return False
        return bool(self._device.play_up_to(self._device.count_commands()))


def _has_kernel(name: str, overload: str) -> bool:
    """Whether an operator can be run below the mode, on the emulated device's key."""
    return bool(torch._C._dispatch_has_computed_kernel_for_dispatch_key(f"{name}.{overload}".rstrip("."), "CPU"))


def _tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors_in(item)


def held_by(module: torch.nn.Module) -> Iterator[Any]:
    """Storages of the tensors that a module and those in it hold as parameters, buffers and attributes."""
    waiting = [module]
    while waiting:
        holder = waiting.pop()
        inside = vars(holder)
        waiting += [each for each in inside.get("_modules", {}).values() if isinstance(each, torch.nn.Module)]
        for held in (inside, inside.get("_parameters", {}), inside.get("_buffers", {})):
            for tensor in list(held.values()):
                if is_plain(tensor) and data_pointer(tensor):
                    yield _storage(tensor)
