# SPDX-License-Identifier: Apache-2.0
"""Plain values from JSON: constructor arguments, and the structures that forward takes and returns."""

from __future__ import annotations

import base64
from collections import OrderedDict
from typing import Any

import torch

from .channel import Fault
from .types import DTYPES


def decoded(form: dict[str, Any], tensors: list[torch.Tensor]) -> Any:
    """The value; {"tensor": i} stands for tensors[i]."""
    (kind, content), *_ = form.items()
    inner = lambda part: decoded(part, tensors)  # noqa: E731
    if kind == "tensor":
        return tensors[content]
    if kind == "value":
        return content
    if kind == "float":
        return float(content)
    if kind == "torch":
        return DTYPES.get(content.removeprefix("torch.")) or getattr(torch, content.removeprefix("torch."))
    if kind == "device":
        return torch.device(content)
    if kind == "list":
        return [inner(part) for part in content]
    if kind == "tuple":
        return tuple(inner(part) for part in content)
    if kind == "slice":
        return slice(*(inner(part) for part in content))
    if kind == "dict":
        pairs = ((inner(key), inner(value)) for key, value in content)
        return OrderedDict(pairs) if form.get("ordered") else dict(pairs)
    flat = torch.frombuffer(bytearray(base64.b64decode(content)), dtype=DTYPES[form["dtype"]])
    return flat.reshape(form["shape"])


def leaves(form: dict[str, Any], value: Any, found: dict[int, Any], path: str = "the result") -> None:
    """Puts the tensors of `value` into `found` by their number in `form`. Raises a Fault for another structure."""
    (kind, content), *_ = form.items()
    if kind == "tensor":
        found.setdefault(content, value)
    elif kind in ("list", "tuple"):
        wanted: type = list if kind == "list" else tuple
        if not issubclass(type(value), wanted) or len(value) != len(content):
            raise Fault(f"{path} is {_kind(value)} where the reference returns a {kind} of {len(content)}")
        for number, (part, item) in enumerate(zip(content, tuple(value))):
            leaves(part, item, found, f"{path}[{number}]")
    elif kind == "dict":
        keys = [decoded(key, []) for key, _ in content]
        if not issubclass(type(value), dict) or list(value) != keys:
            raise Fault(f"{path} is {_kind(value)} where the reference returns a dict with the keys {keys}")
        for key, part in zip(keys, (part for _, part in content)):
            leaves(part, value[key], found, f"{path}[{key!r}]")
    elif kind in ("value", "float", "torch", "device"):
        expected = decoded(form, [])
        if type(value) is not type(expected) or (value != expected and expected == expected):
            raise Fault(f"{path} is {_kind(value)} where the reference returns {expected!r}")


def _kind(value: Any) -> str:
    kind = type(value)
    if issubclass(kind, (list, tuple, dict)):
        return f"a {kind.__name__} of {len(value)}"
    return "None" if value is None else f"a {kind.__name__}"
