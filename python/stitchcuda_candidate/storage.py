# SPDX-License-Identifier: Apache-2.0
"""Whose memory outputs lie in. One that lies in an input's, in another output's or in a parameter's is right when it is
returned, and changes with them later: only where the reference's does."""

from __future__ import annotations

from typing import Any

from .channel import Fault
from .types import data_pointer, element_size, is_plain, shape_of, strides_of

Extent = tuple[int, int]  # address, bytes


def extent_of(tensor: Any) -> Extent:
    """From the first element's byte to behind the last one's."""
    shape, strides, size = shape_of(tensor), strides_of(tensor), element_size(tensor)
    if 0 in shape:
        return data_pointer(tensor), 0
    return data_pointer(tensor), size * (1 + sum((extent - 1) * step for extent, step in zip(shape, strides)))


def check(found: dict[int, Any], storage: list[dict[str, Any]], inputs: list[Extent], blocks: list[Extent],
          module: list[tuple[str, int, int]]) -> None:  # fmt: skip
    """`storage`: what the reference's outputs share (stitchcuda_python.candidate.storage). `inputs`, `blocks` (memory
    of the caller's, inputs in it) and `module` (names, addresses, bytes) are whose memory it may be. Raises a Fault for
    the first output that shares what the reference's does not."""
    outputs = {number: tensor for number, tensor in sorted(found.items()) if is_plain(tensor)}
    for number, tensor in outputs.items():
        if number < len(storage):
            _check_lenders(number, extent_of(tensor), storage[number], inputs, blocks, module)
            _check_elements(number, tensor, storage[number])
    for number, tensor in outputs.items():
        for earlier, other in outputs.items():
            if earlier >= number or number >= len(storage) or earlier in storage[number]["outputs"]:
                continue
            if _share(tensor, other):
                raise Fault(f"output {number} and output {earlier} lie in the same memory, where the reference returns "
                            "tensors that have nothing in common")  # fmt: skip


def _check_lenders(number: int, own: Extent, allowed: dict[str, Any], inputs: list[Extent], blocks: list[Extent],
                   module: list[tuple[str, int, int]]) -> None:  # fmt: skip
    lenders = [each for each, extent in enumerate(inputs) if _meet(own, extent)]
    for each in lenders:
        if each not in allowed["inputs"]:
            raise Fault(f"output {number} lies in the memory of input {each}, where the reference returns a tensor of "
                        "its own")  # fmt: skip
    if not lenders and any(_meet(own, extent) for extent in blocks):
        raise Fault(f"output {number} lies in memory of the caller's that it was not given for this")
    for name, address, size in module:
        if not allowed["in_module"] and _meet(own, (address, size)):
            raise Fault(f"output {number} lies in the memory of {name}, where the reference returns a tensor that "
                        "stays as it is when that changes")  # fmt: skip


def _check_elements(number: int, tensor: Any, allowed: dict[str, Any]) -> None:
    if not allowed["repeats"] and any(s == 0 and e > 1 for e, s in zip(shape_of(tensor), strides_of(tensor))):
        raise Fault(f"elements of output {number} lie in the same memory (strides {strides_of(tensor)}), where each of "
                    "the reference's has its own")  # fmt: skip


def lies_in(address: int, extents: list[Extent]) -> bool:
    """Whether one of them has this byte."""
    return any(start <= address < start + size for start, size in extents)


def _meet(left: Extent, right: Extent) -> bool:
    return left[1] > 0 and right[1] > 0 and left[0] < right[0] + right[1] and right[0] < left[0] + left[1]


def _share(left: Any, right: Any) -> bool:
    """Whether two tensors certainly have bytes in common; those that lie between each other's rows do not."""
    one, other = extent_of(left), extent_of(right)
    if not _meet(one, other):
        return False
    return one[0] == other[0] or _is_dense(left) and _is_dense(right)


def _is_dense(tensor: Any) -> bool:
    count = 1
    for extent in shape_of(tensor):
        count *= extent
    return extent_of(tensor)[1] == count * element_size(tensor)
