# SPDX-License-Identifier: Apache-2.0
"""On the emulated device: what a candidate that has CUDA compiled finds, and what it asks for."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from . import as_cuda
from .channel import Fault
from .extensions import Extensions, NotBuilt
from .guard import NoGuard
from .host_device import HostDevice
from .module import CandidateModule
from .types import DTYPES
from .values import decoded


def found_cuda(
    arguments: dict[str, Any], guard: NoGuard, collects: bool
) -> tuple[Extensions, AbstractContextManager[Any]]:
    """The built libraries, and a GPU to ask for: the context to run the candidate's code in."""
    extensions = Extensions(arguments.get("extensions", {}), collects)
    guard.allow(arguments.get("extensions", {}).values())
    if "extensions" not in arguments:
        return extensions, nullcontext()
    extensions.install()
    as_cuda.install()
    return extensions, as_cuda.AsCuda()


def collected(arguments: dict[str, Any], guard: NoGuard, device: HostDevice) -> dict[str, Any]:
    """What the candidate asks load_inline for. `is_cut`: it came no further because something is not built."""
    interface = arguments["interface"]
    extensions, around = found_cuda(arguments, guard, collects=True)
    is_cut = False
    try:
        candidate = CandidateModule(arguments["library"], interface, device, around)
        if not extensions.requests and not arguments["extensions"]:  # perhaps in the first call
            inputs = [
                torch.zeros(each["shape"], dtype=DTYPES[each["dtype"]]) for each in interface["program"]["inputs"]
            ]
            candidate.call(decoded(interface["takes"], inputs))
    except (Fault, NotBuilt):
        is_cut = True
    return {"requests": extensions.requests, "is_cut": is_cut}
