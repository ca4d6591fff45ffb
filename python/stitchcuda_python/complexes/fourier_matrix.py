# SPDX-License-Identifier: Apache-2.0
"""Matrices of cosines and sines. They are made in the graph, of double numbers that are rounded once: a plan prepares
them before the first call, and a reference in double precision has them to its own accuracy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch.fx import Node

from .writer import Writer

_aten = torch.ops.aten


@dataclass(frozen=True)
class FourierMatrix:
    """exp(sign 2 pi i j k / length) scale of `rows` j by `columns` k. `halved`: rows are those of a spectrum whose
    other half mirrors them, so that all but the first, and the middle one, stand for two."""

    length: int
    rows: int
    columns: int
    sign: int
    scale: float
    halved: bool
    dtype: torch.dtype

    def parts(self, w: Writer) -> tuple[Node, Node]:
        """Cosines and sines."""
        made = [w.kept((self, index), lambda index=index: self._written(w, index)) for index in (0, 1)]
        return made[0], made[1]

    def side_by_side(self, w: Writer) -> Node:
        """Cosines left of sines."""
        return w.kept((self, "both"), lambda: w.call(_aten.cat.default, list(self.parts(w)), 1))

    def _written(self, w: Writer, index: int) -> Node:
        """`length` is far below 2^26: products of two whole numbers are exact."""
        angle = w.kept((self.length, self.rows, self.columns), lambda: self._angles(w))
        made = w.call((_aten.cos if index == 0 else _aten.sin).default, angle)
        made = w.mul(made, self.scale * (1 if index == 0 else self.sign))
        if self.halved:
            made = w.mul(made, self._weights(w))
        return made if self.dtype == torch.float64 else w.call(_aten._to_copy.default, made, dtype=self.dtype)

    def _angles(self, w: Writer) -> Node:
        rows = w.call(_aten.unsqueeze.default, self._counted(w, self.rows), 1)
        turns = w.call(_aten.remainder.Scalar, w.mul(rows, self._counted(w, self.columns)), self.length)
        return w.mul(turns, 2 * math.pi / self.length)

    def _weights(self, w: Writer) -> Node:
        rows = w.call(_aten.unsqueeze.default, self._counted(w, self.rows), 1)
        single = w.call(_aten.eq.Scalar, rows, 0)
        if self.length % 2 == 0:
            single = w.call(_aten.logical_or.default, single, w.call(_aten.eq.Scalar, rows, self.length // 2))
        one, two = (w.call(_aten.full.default, [], value, dtype=torch.float64) for value in (1.0, 2.0))
        return w.call(_aten.where.self, single, one, two)

    def _counted(self, w: Writer, count: int) -> Node:
        return w.call(_aten.arange.start_step, 0, count, 1, dtype=torch.float64)
