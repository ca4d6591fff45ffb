# SPDX-License-Identifier: Apache-2.0
"""Whether a program computes the same in train and in eval mode."""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Iterator

from torch import nn

_SENSITIVE = re.compile(r"\btraining\b|dropout|rrelu", re.IGNORECASE)
_PROSE = re.compile(r'"""(?:.|\n)*?"""|#[^\n]*')


def same_in_both_modes(module: nn.Module, source: str) -> bool:
    """True only where no class of the module, nor the file itself, has a word of what depends on the mode. False where
    in doubt: then train() and eval() keep to the mode that the program was made in."""
    classes = {kind for child in module.modules() for kind in type(child).__mro__}
    for kind in classes - {nn.Module, object}:
        if kind.__module__.startswith("stitchcuda_"):
            continue  # the file's own, whose whole text is looked at
        text = _text(kind)
        if text is None or _SENSITIVE.search(text):
            return False
    return not _SENSITIVE.search(_PROSE.sub("", source))


def _text(kind: type) -> str | None:
    """The source of a class; the words of its code where it came without a module that has it."""
    home = getattr(sys.modules.get(kind.__module__), kind.__qualname__.partition(".")[0], None)
    if home is None or ("." not in kind.__qualname__ and home is not kind):
        return " ".join(_words(kind))
    try:
        return _PROSE.sub("", inspect.getsource(kind))
    except (OSError, TypeError):
        return None


def _words(kind: type) -> Iterator[str]:
    """Every name and string in the methods of `kind`, and in the functions of their file that they name."""
    found = (getattr(thing, "__func__", getattr(thing, "fget", thing)) for thing in vars(kind).values())
    todo = [thing for thing in found if isinstance(thing, types.FunctionType)]
    seen: set[int] = set()
    while todo:
        function = todo.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        for code in _codes(function.__code__):
            yield from (*code.co_names, *(str(constant) for constant in code.co_consts))
            named = [function.__globals__.get(name) for name in code.co_names]
            todo += [thing for thing in named if isinstance(thing, types.FunctionType) and _same_file(thing, function)]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _same_file(one: types.FunctionType, other: types.FunctionType) -> bool:
    return one.__code__.co_filename == other.__code__.co_filename
