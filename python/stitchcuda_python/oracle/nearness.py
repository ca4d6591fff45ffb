# SPDX-License-Identifier: Apache-2.0
"""Whether a large output is what the baseline of mode kernelbench gives, for all elements together: the part of
src/verify/compare/nearness.h that can be done where the output lies."""

from __future__ import annotations

import torch

# As in src/verify/compare/constants.h.
NEARNESS_MULTIPLE = 4.0
_RUNS = 3  # two on moved inputs, and one with disturbed sums
_AT_ONCE = 1 << 24  # elements


class Nearness:
    """Takes the runs that round operands one after the other; the first is kept until the second has come."""

    def __init__(self, native: torch.Tensor) -> None:
        self._native, self._taken, self._apart = native.reshape(-1), 0, 0.0
        self._first: torch.Tensor | None = None
        self._own: torch.Tensor | None = None  # the last run, where the library rounds otherwise than it

    def take(self, run: torch.Tensor) -> None:
        """One more run."""
        run = run.reshape(-1)
        self._taken += 1
        if self._taken == 1:
            self._first = run
        elif self._first is not None:
            self._apart, self._first = _distance(run, self._first), None
        if self._taken == _RUNS and not self._is_within(run, self._native):
            self._own = run

    def holds(self, got: torch.Tensor) -> bool:
        """Whether a candidate's output is as near to the baseline as its runs are to each other."""
        anchors = [self._native] if self._own is None else [self._native, self._own]
        return self._taken >= _RUNS and any(self._is_within(got.reshape(-1), anchor) for anchor in anchors)

    def _is_within(self, values: torch.Tensor, anchor: torch.Tensor) -> bool:
        return _distance(values, anchor) <= NEARNESS_MULTIPLE * self._apart


def _distance(values: torch.Tensor, anchor: torch.Tensor) -> float:
    """The root of the mean squared difference, as a multiple of the anchor's own; what is not finite takes no part."""
    apart, size = 0.0, 0.0
    for left, right in zip(values.split(_AT_ONCE), anchor.split(_AT_ONCE)):
        right = right.double()
        squares = (left.double() - right).square()
        finite = torch.isfinite(squares)
        apart += float(torch.where(finite, squares, 0.0).sum())
        size += float(torch.where(finite, right.square(), 0.0).sum())
    return (apart / size) ** 0.5 if size > 0 else 0.0
