# SPDX-License-Identifier: Apache-2.0
"""Which kernels a call launches and how long each takes, as PyTorch's profiler (CUPTI) sees them."""

from __future__ import annotations

import collections
import typing

import torch

CALLS = 3
MOST = 24  # kernels that are told of one call, the dearest ones


def of_call(reset: typing.Callable[[], None], function: typing.Callable[[], object]) -> list[dict]:
    """Name, launches and microseconds a call, dearest first; what is beyond MOST is one last line. `reset` puts states
    back before each call and is not looked at."""
    reset()
    function()
    torch.cuda.synchronize()
    counts: dict = collections.defaultdict(lambda: [0, 0.0])
    for _ in range(CALLS):
        reset()
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA], acc_events=True) as seen:
            function()
            torch.cuda.synchronize()
        for event in seen.events():
            if event.device_type == torch.autograd.DeviceType.CUDA:
                counts[event.name][0] += 1
                counts[event.name][1] += event.device_time
    return told(counts)


def told(counts: dict) -> list[dict]:
    lines = [{"kernel": name[:160], "launches": round(launches / CALLS, 2), "us": round(us / CALLS, 2)}
             for name, (launches, us) in counts.items()]
    lines.sort(key=lambda line: -line["us"])
    rest = lines[MOST:]
    if rest:
        lines[MOST:] = [{"kernel": f"{len(rest)} others", "launches": round(sum(line["launches"] for line in rest), 2),
                         "us": round(sum(line["us"] for line in rest), 2)}]
    return lines
