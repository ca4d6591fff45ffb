# SPDX-License-Identifier: Apache-2.0
"""A nested structure as a Python expression, so that generated code says what it takes and returns."""

from __future__ import annotations

import math
import types
from collections import OrderedDict
from typing import Any

import torch

from ..failures import PROGRAM_INVALID, Failure
from ..graph.functional import Returned


def expression(value: Any, namespace: types.ModuleType, file: str) -> str:
    """Python text that makes `value`, with `t[i]` for the i-th tensor. Raises a Failure for other classes."""
    if isinstance(value, Returned):
        return f"t[{value.index}]"
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
    if isinstance(value, (torch.dtype, torch.device)):
        return str(value) if isinstance(value, torch.dtype) else f"torch.{value!r}"
    if isinstance(value, dict) and type(value) in (dict, OrderedDict):
        items = ", ".join(f"{key!r}: {expression(item, namespace, file)}" for key, item in value.items())
        return f"{{{items}}}" if type(value) is dict else f"__import__('collections').OrderedDict({{{items}}})"
    if type(value) is list:
        return "[" + ", ".join(expression(item, namespace, file) for item in value) + "]"
    if isinstance(value, tuple):
        items = ", ".join(expression(item, namespace, file) for item in value) + ("," if len(value) == 1 else "")
        return f"({items})" if type(value) is tuple else _named(value, items, namespace, file)
    raise _refused(value, file)


def _named(value: Any, items: str, namespace: types.ModuleType, file: str) -> str:
    """A named tuple: PyTorch's own return types, or a class that the file has at its top level."""
    kind = type(value)
    if kind.__module__ == "torch.return_types":
        return f"torch.return_types.{kind.__name__}(({items}))"
    if getattr(namespace, kind.__name__, None) is kind and hasattr(value, "_fields"):
        return f"{kind.__name__}({items})"
    raise _refused(value, file)


def _refused(value: Any, file: str) -> Failure:
    message = f"{type(value).__name__} among what forward takes or returns cannot be written down as Python."
    return Failure(PROGRAM_INVALID, message, file, "Use tuples, lists, dicts, named tuples, numbers and tensors.")
