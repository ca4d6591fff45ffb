# SPDX-License-Identifier: Apache-2.0
"""What forward returned, as plain bytes in the keeper's memory. Only PyTorch's own dense tensors have bytes."""

from __future__ import annotations

from typing import Any

from .channel import Fault
from .host_device import HostDevice
from .memory import Memory
from .types import contiguous, data_pointer, described, device_type, dtype_name, is_contiguous, is_plain, shape_of
from .values import leaves

def hand_over(result: Any, form: dict[str, Any], specs: list[dict[str, Any]], arguments: list[dict[str, Any]],
              memory: Memory, device: HostDevice) -> dict[int, Any]:  # fmt: skip
    """Copies every output to its region. Raises a Fault for another structure, class, type or shape. The tensors, by
    their number."""
    found: dict[int, Any] = {}
    leaves(form, result, found)
    for number, (spec, argument) in enumerate(zip(specs, arguments)):
        if number not in found:
            continue
        copy_out(found[number], spec["dtype"], argument, f"output {number}", memory, device)
    return found


def copy_out(tensor: Any, dtype: str, argument: dict[str, Any], name: str, memory: Memory, device: HostDevice) -> None:
    """One tensor's elements, row-major."""
    if not is_plain(tensor):
        raise Fault(f"{name} is {_class_of(tensor)}, not a plain torch.Tensor")
    wanted = [int(extent) for extent in argument["extents"]]
    got = described(dtype_name(tensor), shape_of(tensor))
    if got != described(dtype, wanted):
        raise Fault(f"{name} is {got} where the reference returns {described(dtype, wanted)}")
    if device_type(tensor) != device.name:
        raise Fault(f"{name} lies on {device_type(tensor)} where the inputs lie on {device.name}")
    if int(argument["bytes"]) == 0:
        return
    if not is_contiguous(tensor):
        tensor = contiguous(tensor)
    address = data_pointer(tensor)
    if address == 0:
        raise Fault(f"{name} has no memory")
    device.copy(memory.address(argument), address, int(argument["bytes"]))


def _class_of(value: Any) -> str:
    kind = type(value)
    return f"a {kind.__module__}.{kind.__qualname__}" if kind.__module__ != "builtins" else f"a {kind.__name__}"
