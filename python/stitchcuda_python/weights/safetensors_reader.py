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

_MAX_HEADER_BYTES = 100 << 20
_MAX_RANK = 64
_MAX_EXTENT = 1 << 48
_MAX_NAME_LENGTH = 120
_DTYPES = {name: dtype for dtype, name in DTYPE_NAMES.items()}


def read_safetensors(path: str) -> dict[str, torch.Tensor]:
    """The tensors of the file by name, in host memory. Raises a Failure for a malformed file."""
    size = os.path.getsize(path)
    try:
        with open(path, "rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if size < 8 or length > min(size - 8, _MAX_HEADER_BYTES):
                raise _damaged(path, "its header is longer than the file")
            header = json.loads(stream.read(length).decode("utf-8"), object_pairs_hook=_without_repetition)
            if not isinstance(header, dict):
                raise _damaged(path, "its header is no JSON object")
            header.pop("__metadata__", None)
            places = {name: _Place(name, entry, path) for name, entry in header.items()}
            _refuse_overlaps(list(places.values()), path)
            return {name: place.read(stream, 8 + length, size) for name, place in places.items()}
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(path, f"its header cannot be read ({error})") from error


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        repeated = next(name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1)
        raise ValueError(f"{_told(repeated)} is there twice")
    return found


def _told(name: str) -> str:
    """A name as a sentence may carry it, whatever is in it."""
    plain = name.encode("unicode_escape").decode("ascii")
    return plain if len(plain) <= _MAX_NAME_LENGTH else plain[:_MAX_NAME_LENGTH] + "…"


def _count(value: Any) -> int:
    """JSON's true, 1.0 and 1e400 are no sizes."""
    if type(value) is not int or not 0 <= value <= _MAX_EXTENT:
        raise ValueError("no size")
    return value


class _Place:
    """What the header says of one tensor."""

    def __init__(self, name: str, entry: Any, path: str) -> None:
        self._name, self._path = _told(name), path
        try:
            word, shape = entry["dtype"], list(entry["shape"])[: _MAX_RANK + 1]
            dtype = _DTYPES.get(word)
            self._shape = [_count(extent) for extent in shape]
            self.begin, self.end = (_count(offset) for offset in entry["data_offsets"])
        except (KeyError, TypeError, ValueError) as error:
            raise _damaged(path, f"its entry for {self._name} is incomplete") from error
        if dtype is None:
            message = f"{path} holds {self._name} as {_told(str(word))}, an element type without counterpart here."
            raise Failure(PROGRAM_INVALID, message, path, "Convert it to a float or integer type.")
        self._dtype = dtype
        width = torch.empty(0, dtype=dtype).element_size()
        if len(shape) > _MAX_RANK or self.end - self.begin != math.prod(self._shape) * width:
            raise self._misplaced()

    def read(self, stream: Any, start: int, size: int) -> torch.Tensor:
        if start + self.end > size:
            raise self._misplaced()
        stream.seek(start + self.begin)
        data = bytearray(stream.read(self.end - self.begin))
        if len(data) != self.end - self.begin:
            raise _damaged(self._path, f"it ends within {self._name}")
        if not data:
            return torch.empty(self._shape, dtype=self._dtype)
        return torch.frombuffer(data, dtype=self._dtype).reshape(self._shape)

    def overlaps(self, other: _Place) -> bool:
        return self.begin < other.end and other.begin < self.end

    def together_with(self, other: _Place) -> str:
        return f"{self._name} and {other._name}"

    def _misplaced(self) -> Failure:
        return _damaged(self._path, f"the place of {self._name} does not fit its shape, or lies beyond the end")


def _refuse_overlaps(places: list[_Place], path: str) -> None:
    ordered = sorted((place for place in places if place.begin < place.end), key=lambda place: place.begin)
    for before, after in zip(ordered, ordered[1:]):
        if before.overlaps(after):
            raise _damaged(path, f"{before.together_with(after)} lie in the same place")


def _damaged(path: str, what: str) -> Failure:
    return Failure(PROGRAM_INVALID, f"{path} is no intact safetensors file: {what}.", path, "Copy or save it again.")
