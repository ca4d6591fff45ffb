# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's run_decompositions prepares anew at each call, kept between calls.

It looks through every operator that there is, and for as long as it runs some 500 composite ones have other kernels in
Python: a fifth of a second, whatever the program, twenty times a verdict. What it gives them is the same each time: the
first time it is noted down, and then put there as one dictionary an operator. An operator that is not as it was noted
(it is new, has other kernels or another decomposition) is left to PyTorch, and noted down again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch

try:
    from torch._export import utils as _utils
    from torch._subclasses import fake_impls as _fakes
    from torch.export import exported_program as _exported
except ImportError:  # another release of PyTorch: it then does everything itself
    _utils = _fakes = _exported = None  # type: ignore[assignment]

Table = dict[Any, Callable[..., Any]]
_MATERIALIZE, _OVERRIDE = "_materialize_cpp_cia_ops", "_override_composite_implicit_decomp"


@dataclass
class _State:
    """Of an operator: its kernels in Python, and the rule by which tensors without data go through it."""

    kernels: dict[Any, Any]
    rule: Any

    @classmethod
    def of(cls, operator: Any) -> _State:
        return cls(dict(operator.py_kernels), _fakes.op_implementations_dict.get(operator))

    def is_of(self, operator: Any) -> bool:
        return operator.py_kernels == self.kernels and _fakes.op_implementations_dict.get(operator) is self.rule

    def put(self, operator: Any) -> None:
        operator.py_kernels.clear()
        operator.py_kernels.update(self.kernels)
        operator._dispatch_cache.clear()
        _fakes.op_implementations_dict.pop(operator, None)
        if self.rule is not None:
            _fakes.op_implementations_dict[operator] = self.rule


@dataclass
class _Note:
    """What became of an operator whose decomposition is `made_by`."""

    made_by: Callable[..., Any]
    before: _State
    during: _State


class _Overrides:
    """Stands for PyTorch's manager of contexts, which changes each operator of a table by itself."""

    def __init__(self, theirs: Callable[..., Any]) -> None:
        self._theirs = theirs
        self._notes: dict[Any, _Note] = {}

    @contextlib.contextmanager
    def __call__(self, table: Table, *others: Any) -> Iterator[None]:
        if others:  # arguments of another release
            with self._theirs(table, *others):
                yield
            return
        kept = {operator: self._notes[operator] for operator in table if self._is_noted(operator, table[operator])}
        fresh = {operator: made_by for operator, made_by in table.items() if operator not in kept}
        before = {operator: _State.of(operator) for operator in fresh}
        with self._theirs(fresh):
            for operator, made_by in fresh.items():
                self._notes[operator] = _Note(made_by, before[operator], _State.of(operator))
            try:
                for operator, note in kept.items():
                    note.during.put(operator)
                yield
            finally:
                for operator, note in kept.items():
                    note.before.put(operator)

    def _is_noted(self, operator: Any, made_by: Callable[..., Any]) -> bool:
        note = self._notes.get(operator)
        return note is not None and note.made_by is made_by and note.before.is_of(operator)


def _is_known() -> bool:
    return (
        hasattr(_utils, _MATERIALIZE)
        and hasattr(_exported, _OVERRIDE)
        and hasattr(_fakes, "op_implementations_dict")
        and all(hasattr(torch.ops.aten.linear.default, name) for name in ("py_kernels", "_dispatch_cache"))
    )


_overrides = _Overrides(getattr(_exported, _OVERRIDE)) if _is_known() else None


@contextlib.contextmanager
def overrides_kept() -> Iterator[None]:
    """While it is entered, run_decompositions is quick to begin and to end."""
    if _overrides is None:
        yield
        return
    _utils._materialize_cpp_cia_ops()  # for all namespaces of operators at once, instead of for each of them
    with mock.patch.object(_utils, _MATERIALIZE, lambda: None), mock.patch.object(_exported, _OVERRIDE, _overrides):
        yield
