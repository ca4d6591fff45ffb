# SPDX-License-Identifier: Apache-2.0
"""Constructor arguments and nested structures as JSON, so that they reach another process as plain values."""

from __future__ import annotations

import base64
import math
from collections import OrderedDict
from typing import Any

import torch

from ..failures import PROGRAM_INVALID, Failure
from ..graph.functional import Returned
from ..graph.supported import DTYPE_NAMES
from ..weights.raw import raw_bytes

_MAX_TENSOR_BYTES = 1 << 20  # the message that carries it holds 4 MiB


def encoded(value: Any, file: str) -> dict[str, Any]:
    """`value` with {"tensor": i} for Returned(i). Raises a Failure for what has no plain form."""
    if isinstance(value, Returned):
        return {"tensor": value.index}
    if value is None or isinstance(value, (bool, int, str)):
        return {"value": value}
    if isinstance(value, float):
        return {"value": value} if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, (torch.dtype, torch.device)):
        return {"torch": str(value)} if isinstance(value, torch.dtype) else {"device": str(value)}
    if isinstance(value, dict):
        pairs = [[encoded(key, file), encoded(item, file)] for key, item in value.items()]
        return {"dict": pairs, "ordered": isinstance(value, OrderedDict)}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [encoded(item, file) for item in value]}
    if isinstance(value, slice):
        return {"slice": [encoded(part, file) for part in (value.start, value.stop, value.step)]}
    if type(value) is torch.Tensor and value.numel() * value.element_size() <= _MAX_TENSOR_BYTES:
        data = base64.b64encode(raw_bytes(value)).decode()
        return {"data": data, "dtype": DTYPE_NAMES[value.dtype], "shape": list(value.shape)}
    message = f"A {type(value).__name__} among what the program is constructed with has no plain form."
    raise Failure(PROGRAM_INVALID, message, file, "Use numbers, strings, lists, dicts and small tensors.")
