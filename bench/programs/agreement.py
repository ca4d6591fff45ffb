# SPDX-License-Identifier: Apache-2.0
"""How far two results lie apart: by the norm of the whole, and by KernelBench's own rule. Large ones are read in
parts, so that they need little more memory than they have."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

PART = 1 << 26  # elements read at a time, in double precision
KERNELBENCH_TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-4, torch.float16: 1e-2, torch.bfloat16: 1e-2}


def wait(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize()


def in_parts(got: torch.Tensor, wanted: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    got, wanted = got.reshape(-1), wanted.reshape(-1)
    for start in range(0, got.numel(), PART):
        yield got[start : start + PART].double(), wanted[start : start + PART].double()


def finite_sum(tensor: torch.Tensor) -> float:
    """Tells two draws' results from one another, but for a chance."""
    return sum(part[part.isfinite()].sum().item() for part, _ in in_parts(tensor, tensor))


def relative_difference(got: torch.Tensor, wanted: torch.Tensor) -> float:
    if got.shape != wanted.shape:
        return math.inf
    apart = scale = 0.0
    for ours, theirs in in_parts(got, wanted):
        difference = torch.where(ours == theirs, 0.0, ours - theirs)  # infinities that are alike
        apart += difference.square().sum().item()
        scale += theirs[theirs.isfinite()].square().sum().item()
    return math.sqrt(apart) / max(math.sqrt(scale), 1e-30) if math.isfinite(apart) else math.inf


def by_kernelbench(got: torch.Tensor, wanted: torch.Tensor) -> dict:
    """torch.allclose as KernelBench calls it: `share` of the elements lies further apart than its tolerance, the
    furthest by `most` tolerances."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return {"passes": False, "share": 1.0, "most": math.inf}
    tolerance = KERNELBENCH_TOLERANCE.get(got.dtype, 1e-4)
    beyond, most = 0, 0.0
    for ours, theirs in in_parts(got, wanted):
        far = torch.where(ours == theirs, 0.0, (theirs - ours).abs() / (tolerance + tolerance * ours.abs()))
        far = far.nan_to_num(nan=math.inf)
        beyond += int((far > 1).sum())
        most = max(most, far.max().item())
    return {"passes": beyond == 0, "share": beyond / max(got.numel(), 1), "most": most}


def worst_by_kernelbench(both: list[tuple[torch.Tensor, torch.Tensor]]) -> dict:
    """The rule over all results of a call."""
    every = [by_kernelbench(*pair) for pair in both]
    return {
        "passes": all(one["passes"] for one in every),
        "share": max((one["share"] for one in every), default=0.0),
        "most": max((one["most"] for one in every), default=0.0),
    }
