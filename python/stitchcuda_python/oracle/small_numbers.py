# SPDX-License-Identifier: Apache-2.0
"""Small outputs beside large ones, where they lie: src/verify/compare/small_numbers.h says what is asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

# As in src/verify/compare/constants.h.
MAGNITUDE_OCTAVES, SMALLEST_EXPONENT = 4, -100
MIN_KNOWN, LOST_SHARE, LOST_BEYOND = 64, 1 / 4, 1 / 8
KNOWN_WITHIN, KNOWN_ROUNDINGS = 1 / 1024, 2

_GROUPS = (1024 - SMALLEST_EXPONENT) // MAGNITUDE_OCTAVES
_FRACTION_BITS, _EXPONENT_MASK, _BIAS = 52, 0x7FF, 1023  # of a double

# Of each piece of an output: the number of its first element, the right values, a candidate's, and the largest error of
# the reference's own runs.
Pieces = Callable[[], Iterator[tuple[int, torch.Tensor, torch.Tensor, torch.Tensor]]]


def _groups(truth: torch.Tensor) -> torch.Tensor:
    """Of each element; -1 for what is zero, smaller than all groups, or no number."""
    exponent = ((truth.view(torch.int64) >> _FRACTION_BITS) & _EXPONENT_MASK) - _BIAS
    counted = torch.isfinite(truth) & (exponent >= SMALLEST_EXPONENT)
    return torch.where(counted, (exponent - SMALLEST_EXPONENT) // MAGNITUDE_OCTAVES, -1)


def _known_and_lost(
    truth: torch.Tensor, got: torch.Tensor, own: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    size = truth.abs()
    known = own <= max(KNOWN_WITHIN, KNOWN_ROUNDINGS * eps) * size
    return known, known & torch.isfinite(got) & ((got - truth).abs() > LOST_BEYOND * size)


def find_lost(pieces: Pieces, eps: float) -> dict[str, Any] | None:
    """The smallest magnitude of which too many elements are lost, {group, lost, known, element, got, expected} with the
    first such element; None where there is none."""
    counts: torch.Tensor | None = None
    for _, truth, got, own in pieces():
        groups = _groups(truth)
        known, lost = _known_and_lost(truth, got, own, eps)
        seen = [torch.bincount(groups[(groups >= 0) & of], minlength=_GROUPS) for of in (groups >= 0, known, lost)]
        counts = torch.stack(seen) if counts is None else counts + torch.stack(seen)
    if counts is None:
        return None
    elements, known, lost = counts.tolist()
    bad = [
        group
        for group in range(_GROUPS)
        if known[group] >= MIN_KNOWN and 2 * known[group] >= elements[group] and lost[group] > LOST_SHARE * known[group]
    ]
    if not bad:
        return None
    return {"group": bad[0], "lost": lost[bad[0]], "known": known[bad[0]]} | _first(pieces, eps, bad[0])


def _first(pieces: Pieces, eps: float, group: int) -> dict[str, Any]:
    for begin, truth, got, own in pieces():
        _, lost = _known_and_lost(truth, got, own, eps)
        places = torch.nonzero(lost & (_groups(truth) == group)).reshape(-1)
        if places.numel() > 0:
            at = int(places[0])
            return {"element": begin + at, "got": float(got[at]), "expected": float(truth[at])}
    raise AssertionError("an element that was counted is there")
