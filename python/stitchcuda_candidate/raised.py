# SPDX-License-Identifier: Apache-2.0
"""Where an exception comes from, which nobody chooses who raises one: by the code that ran, never by what it says."""

from __future__ import annotations

import ast
import ctypes
import importlib.util
import os
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch

_ABSENT_MODULES = ("triton", "cupy", "numba", "pycuda", "cuda", "cutlass", "tilelang")
_LIBRARIES_OF_A_GPU = ("libcuda.", "libcudart.", "libnvrtc.", "libcublas")
_PACKAGE = __name__.rpartition(".")[0]


def _codes_of(holder: Any) -> Iterator[types.CodeType]:
    """Of the functions and methods that a module or class has itself."""
    for thing in list(vars(holder).values()):
        thing = getattr(thing, "__func__", thing)
        if isinstance(thing, types.FunctionType):
            yield thing.__code__
        elif isinstance(thing, type) and thing.__module__ == getattr(holder, "__name__", "") and thing is not holder:
            yield from _codes_of_class(thing)


def _codes_of_class(kind: type) -> Iterator[types.CodeType]:
    for thing in list(vars(kind).values()):
        thing = getattr(thing, "__func__", thing)
        if isinstance(thing, types.FunctionType):
            yield thing.__code__


# Looked up before a candidate is there. A name of a file or function in a code object proves nothing: it can be chosen.
_STARTING_CUDA = frozenset({torch.cuda._lazy_init.__code__, torch.cuda.init.__code__})
_OPENING_LIBRARIES = ctypes.CDLL.__init__.__code__


def own_codes() -> frozenset[types.CodeType]:
    """Of this package's functions and methods."""
    return frozenset(
        code
        for name, module in list(sys.modules.items())
        if name.startswith(f"{_PACKAGE}.") and module is not None
        for code in _codes_of(module)
    )


class Provenance:
    """Of exceptions, made before the candidate's code runs. `file` is the candidate's."""

    def __init__(self, file: str, without_gpu: bool) -> None:
        self._folder, self._without_gpu = os.path.dirname(file), without_gpu
        self._own = own_codes()
        self._lacking = frozenset(name for name in _ABSENT_MODULES if not _is_there(name))

    def is_ours(self, trace: types.TracebackType | None) -> bool:
        """Raised by this package's own code, and not in its name."""
        frames = list(_frames(trace))
        return not frames or frames[-1][0].f_code in self._own

    def needs_a_gpu(self, error: BaseException, trace: types.TracebackType | None) -> bool:
        """It asked for what there is only where there is a GPU: a module that is not installed, PyTorch's CUDA, a
        library of CUDA's."""
        frames = list(_frames(trace))
        if not frames:
            return False
        frame, line = frames[-1]
        if isinstance(error, ImportError):
            return self._imports_what_lacks(frame.f_code.co_filename, line)
        if not self._without_gpu:
            return False
        if frame.f_code in _STARTING_CUDA:
            return True
        name = frame.f_locals.get("name") if frame.f_code is _OPENING_LIBRARIES else None
        return type(name) is str and os.path.basename(name).startswith(_LIBRARIES_OF_A_GPU)

    def _imports_what_lacks(self, file: str, line: int) -> bool:
        """An import stands there, in a file as it was handed over, of a package that this machine lacks."""
        if os.path.dirname(os.path.realpath(file)) != os.path.realpath(self._folder):
            return False
        try:
            with open(file, "rb") as stream:
                tree = ast.parse(stream.read())
        except (OSError, SyntaxError, ValueError, RecursionError):
            return False
        names: list[str] = []
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and node.lineno <= line <= (node.end_lineno or 0):
                names += [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        return any(name.split(".")[0] in self._lacking for name in names)


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _frames(trace: types.TracebackType | None) -> Iterator[tuple[types.FrameType, int]]:
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next
