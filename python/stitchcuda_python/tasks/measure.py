# SPDX-License-Identifier: Apache-2.0
"""A program's eager time on a GPU."""

from __future__ import annotations

import statistics
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..failures import ENVIRONMENT, Failure
from .loading import load, told

_WARM_UP = 3
_CALLS = 10


def measure(text: str, file: str, overrides: dict[str, int], seed: int) -> dict[str, Any]:
    """{"ms": median of ten calls, each between two events, "device": the GPU's name}. Inputs and parameters are made
    on the GPU; each call reads the same ones."""
    if not torch.cuda.is_available():
        message = "There is no GPU that PyTorch sees, so that no eager time can be measured."
        raise Failure(ENVIRONMENT, message, file, "Leave --measure out: times are then modelled.")
    torch.manual_seed(seed)
    with torch.device("cuda"):
        loaded = load(text, file, overrides)
        with torch.no_grad(), told("running forward", file):
            inputs = loaded.inputs()
    inputs = pytree.tree_map(lambda leaf: leaf.cuda() if isinstance(leaf, torch.Tensor) else leaf, inputs)
    module = loaded.module.cuda()
    times = []
    with torch.no_grad(), told("running forward on the GPU", file):
        for number in range(_WARM_UP + _CALLS):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            module(*inputs)
            end.record()
            torch.cuda.synchronize()
            if number >= _WARM_UP:
                times.append(begin.elapsed_time(end))
    del module, inputs, loaded
    torch.cuda.empty_cache()
    return {"ms": statistics.median(times), "device": torch.cuda.get_device_name()}
