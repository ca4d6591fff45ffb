# SPDX-License-Identifier: Apache-2.0
"""The tiles of src/verify/compare/tiling.h, many at a time: whole rows joined to at least 256 elements, rows of more
than 4,096 cut into equal pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import torch

MINIMUM_ELEMENTS = 256
MAXIMUM_ELEMENTS = 4096
_ELEMENTS_AT_ONCE = 1 << 23


@dataclass(frozen=True)
class Piece:
    """Tiles `first` up to `last` and where their elements are: `regular` ones lie one behind the other from element
    `begin` on, `width` elements each; else `places` has one row of element numbers a tile, the last repeated where
    `valid` is False."""

    first: int
    last: int
    begin: int
    width: int
    places: torch.Tensor | None = None
    valid: torch.Tensor | None = None

    def of(self, flat: torch.Tensor) -> torch.Tensor:
        """The elements of these tiles out of all of an output's, one row a tile."""
        if self.places is not None:
            return flat[self.places]
        count = (self.last - self.first) * self.width
        return flat[self.begin : self.begin + count].view(-1, self.width)

    def once(self, values: torch.Tensor) -> torch.Tensor:
        """`values` (rows as `of` gives them) without the repeated ones, in one dimension."""
        return values.reshape(-1) if self.valid is None else values[self.valid]


class Tiling:
    """How an output of this shape is cut. It has one element at least."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.elements = prod(shape)
        self.row = shape[-1] if shape else 1
        self._rows = self.elements // self.row
        self._pieces = -(-self.row // MAXIMUM_ELEMENTS) if self.row > MAXIMUM_ELEMENTS else 1
        self._joined = 1 if self._pieces > 1 else -(-MINIMUM_ELEMENTS // self.row)
        self.count = self._rows * self._pieces if self._pieces > 1 else max(1, self._rows // self._joined)

    def range(self, tile: int) -> tuple[int, int]:
        """The tile's first element and the one behind its last."""
        if self._pieces > 1:
            row, piece = divmod(tile, self._pieces)
            cut = lambda at: row * self.row + self.row * at // self._pieces  # noqa: E731
            return cut(piece), cut(piece + 1)
        length = self._joined * self.row
        return tile * length, self.elements if tile + 1 == self.count else (tile + 1) * length

    def pieces(self, device: torch.device) -> Iterator[Piece]:
        """All tiles in order, as many at once as memory should hold."""
        if self._pieces > 1 and self.row % self._pieces != 0:
            yield from self._uneven(device)
            return
        width = self.row // self._pieces if self._pieces > 1 else self._joined * self.row
        even = self.count if self._pieces > 1 or self.count * width == self.elements else self.count - 1
        step = max(1, _ELEMENTS_AT_ONCE // width)
        for first in range(0, even, step):
            yield Piece(first, min(first + step, even), first * width, width)
        if even < self.count:  # the last tile takes the rows that are left over
            yield Piece(even, self.count, even * width, self.elements - even * width)

    def _uneven(self, device: torch.device) -> Iterator[Piece]:
        width = -(-self.row // self._pieces)
        step = max(1, _ELEMENTS_AT_ONCE // width)
        for first in range(0, self.count, step):
            tiles = torch.arange(first, min(first + step, self.count), device=device)
            row, piece = tiles // self._pieces, tiles % self._pieces
            begin = row * self.row + self.row * piece // self._pieces
            length = row * self.row + self.row * (piece + 1) // self._pieces - begin
            column = torch.arange(width, device=device)
            places = begin[:, None] + torch.minimum(column[None, :], length[:, None] - 1)
            yield Piece(first, first + len(tiles), 0, width, places, column[None, :] < length[:, None])
