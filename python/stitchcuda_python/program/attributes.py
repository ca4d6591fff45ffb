# SPDX-License-Identifier: Apache-2.0
"""Watches forward for `self.x = ...`: export records the call once, so such an update would silently be lost."""

from __future__ import annotations

import copy
import functools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from ..failures import PROGRAM_INVALID, Failure, is_user_file, shown_name

_MISSING = object()


@dataclass
class Assignment:
    """One `module.name = value` seen in forward; `old` is what stood there before the call."""

    module: nn.Module
    name: str
    location: str
    old: Any


@dataclass
class Watch:
    """The assignments seen during a `watched` body, first of each attribute only."""

    seen: dict[tuple[int, str], Assignment] = field(default_factory=dict)

    def names(self) -> str:
        return ", ".join(f"self.{assignment.name}" for assignment in self.seen.values())

    def restore(self) -> None:
        """Puts every attribute back to what it was before forward."""
        for assignment in self.seen.values():
            _put(assignment.module, assignment.name, assignment.old)


class ReadAfterAssignment(Exception):
    """A later call read an attribute that an earlier one had assigned."""


class _Poison:
    """Stands in for an assigned attribute; whatever a later call does with it raises."""

    def _refuse(self, *_unused: Any, **_also: Any) -> Any:
        raise ReadAfterAssignment()

    __getattr__ = __call__ = __iter__ = __len__ = __bool__ = __getitem__ = __setitem__ = __contains__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __matmul__ = __rmatmul__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __neg__ = __int__ = _refuse
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __float__ = __index__ = __floordiv__ = __mod__ = _refuse
    __torch_function__ = classmethod(_refuse)
    __hash__ = None  # type: ignore[assignment]


def _put(module: nn.Module, name: str, value: Any) -> None:
    if value is _MISSING:
        module.__dict__.pop(name, None)
    else:
        module.__dict__[name] = value


def _registers(module: nn.Module, name: str) -> bool:
    return name in module._buffers or name in module._parameters or name in module._modules


def _containers(root: nn.Module) -> list[tuple[nn.Module, str, Any, Any]]:
    """Every list, dict and set that a submodule holds as a plain public attribute, with a shallow copy."""
    kinds = (list, dict, set)
    return [
        (module, name, value, copy.copy(value))
        for module in root.modules()
        for name, value in module.__dict__.items()
        if isinstance(value, kinds) and not name.startswith("_")
    ]


def _note_changed_containers(watch: Watch, before: list[tuple[nn.Module, str, Any, Any]]) -> None:
    """`self.history.append(x)` is an assignment too: the attribute counts as assigned, its old contents as old."""
    for module, name, value, contents in before:
        items = list(value.items()) if isinstance(value, dict) else list(value)
        old = list(contents.items()) if isinstance(contents, dict) else list(contents)
        same = len(items) == len(old) and all(_same(now, then) for now, then in zip(items, old))
        if not same:
            watch.seen.setdefault((id(module), name), Assignment(module, name, "", contents))


def _same(now: Any, then: Any) -> bool:
    if isinstance(now, tuple) and isinstance(then, tuple) and len(now) == len(then):
        return all(a is b for a, b in zip(now, then))
    return now is then


@contextmanager
def watched(root: nn.Module, user_folder: str) -> Iterator[Watch]:
    """During the body, every plain attribute that the user's own code assigns on a submodule of `root` while forward
    runs is noted, and undone when forward returns. Buffers and parameters are left alone: export sees those.
    PyTorch's own assignments (the weight lists of recurrent layers) do not count."""
    watch = Watch()
    own = {id(module.__dict__): module for module in root.modules()}
    original, forward = nn.Module.__setattr__, root.forward

    def noting(self: nn.Module, name: str, value: Any) -> None:
        # Where submodules are shared, the tracer puts a stand-in with the same __dict__ before each. It, too, is
        # assigned to, and until it has that __dict__ it has no buffers either.
        module = own.get(id(self.__dict__))
        frame = sys._getframe(1)
        if module is not None and not _registers(module, name) and is_user_file(frame.f_code.co_filename, user_folder):
            old = module.__dict__.get(name, _MISSING)
            location = f"{shown_name(os.path.abspath(frame.f_code.co_filename))}:{frame.f_lineno}"
            if old is not value:
                watch.seen.setdefault((id(module), name), Assignment(module, name, location, old))
        original(self, name, value)

    @functools.wraps(forward)
    def restoring(*args: Any, **kwargs: Any) -> Any:
        before = _containers(root)
        nn.Module.__setattr__ = noting  # type: ignore[assignment,method-assign]
        try:
            return forward(*args, **kwargs)
        finally:
            nn.Module.__setattr__ = original  # type: ignore[method-assign]
            _note_changed_containers(watch, before)
            watch.restore()

    root.__dict__["forward"] = restoring
    try:
        yield watch
    finally:
        root.__dict__.pop("forward", None)
        nn.Module.__setattr__ = original  # type: ignore[method-assign]


def refuse_if_read_again(root: nn.Module, inputs: tuple[Any, ...], watch: Watch, file: str) -> None:
    """Calls `root` once more with every assigned attribute poisoned. A pure cache, which no later call reads, passes;
    an attribute that carries something from call to call is refused by name."""
    if not watch.seen:
        return
    for assignment in watch.seen.values():
        _put(assignment.module, assignment.name, _Poison())
    try:
        root(*inputs)
    except Exception as error:  # the poison may come back wrapped
        first = next(iter(watch.seen.values()))
        message = (
            f"forward of {type(first.module).__name__} assigns {watch.names()} and a later call reads it; "
            "this change from call to call would be lost."
        )
        remedy = f"Register it as a buffer: self.register_buffer('{first.name}', torch.tensor(...))."
        raise Failure(PROGRAM_INVALID, message, first.location or file, remedy) from error
    finally:
        watch.restore()
