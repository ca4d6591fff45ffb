# SPDX-License-Identifier: Apache-2.0
"""Reads the safetensors format; every length is checked before it is used."""

from __future__ import annotations

import json
import math
import os
from typing import Any

import torch

from ..failures import PROGRAM_INVALID, Failure
from .safetensors_file import DTYPE_NAMES

_LARGEST_HEADER = 100 << 20
_DTYPES = {name: dtype for dtype, name in DTYPE_NAMES.items()}


def read_safetensors(path: str) -> dict[str, torch.Tensor]:
    """The tensors of the file by name, in host memory. Raises a Failure for a malformed file."""
    size = os.path.getsize(path)
    try:
        with open(path, "rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if size < 8 or length > min(size - 8, _LARGEST_HEADER):
                raise _damaged(path, "its header is longer than the file")
            header = json.loads(stream.read(length).decode("utf-8"))
            if not isinstance(header, dict):
                raise _damaged(path, "its header is no JSON object")
            header.pop("__metadata__", None)
            return {name: _tensor(stream, 8 + length, size, name, entry, path) for name, entry in header.items()}
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise _damaged(path, f"its header cannot be read ({error})") from error


def _tensor(stream: Any, start: int, size: int, name: str, entry: Any, path: str) -> torch.Tensor:
    try:
        dtype, shape = _DTYPES.get(entry["dtype"]), [int(extent) for extent in entry["shape"]]
        begin, end = (int(offset) for offset in entry["data_offsets"])
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path, f"its entry for {name} is incomplete") from error
    if dtype is None:
        sentence = f"{path} holds {name} as {entry['dtype']}, an element type without counterpart here."
        raise Failure(PROGRAM_INVALID, sentence, path, "Convert it to a float or integer type.")
    width = torch.empty(0, dtype=dtype).element_size()
    wanted = math.prod(shape) * width
    if min([*shape, begin], default=0) < 0 or end - begin != wanted or start + end > size:
        raise _damaged(path, f"the place of {name} does not fit its shape, or lies beyond the end")
    stream.seek(start + begin)
    data = bytearray(stream.read(wanted))
    if len(data) != wanted:
        raise _damaged(path, f"it ends within {name}")
    return torch.frombuffer(data, dtype=dtype).reshape(shape) if data else torch.empty(shape, dtype=dtype)


def _damaged(path: str, what: str) -> Failure:
    return Failure(PROGRAM_INVALID, f"{path} is no intact safetensors file: {what}.", path, "Copy or save it again.")
