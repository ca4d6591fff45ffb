# SPDX-License-Identifier: Apache-2.0
"""What may be turned to run a program at another size: the free axes of its inputs, or its module-level constants."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..program.build import Request
from ..program.source import integer_constants, parse_source, read_source
from .axes import DynamicAxes
from .trial import Work, trial


@dataclass
class Knobs:
    """Named sizes with their present values and legal ranges, and how to make a request from other values."""

    values: dict[str, int]
    ranges: dict[str, tuple[int, int]]
    request_at: Callable[[dict[str, int]], Request]
    allows: Callable[[dict[str, int]], bool] = lambda values: True  # quickly, without a trial

    def flops_at(self, values: dict[str, int]) -> int | None:
        """Counted work there; None where the program does not run at these sizes."""
        work = self.work_at(values)
        return None if work is None else work.flops

    def work_at(self, values: dict[str, int]) -> Work | None:
        """The same with how far its operators reach."""
        if any(not self.ranges[name][0] <= value <= self.ranges[name][1] for name, value in values.items()):
            return None
        return trial(self.request_at(values))


_LEAST_OF_LIST = 16  # of a list's elements: smaller ones may be axes, windows or strides, which are no sizes


def constant_knobs(request: Request, of_lists: bool = True) -> Knobs:
    """The module-level integer constants above 1, at their overridden values, those of lists among them if wanted."""
    constants = integer_constants(parse_source(read_source(request.file), request.file)) | request.overrides
    least = {name: _LEAST_OF_LIST if "[" in name else 2 for name in constants}
    values = {name: value for name, value in constants.items()
              if value >= least[name] and (of_lists or "[" not in name)}

    def request_at(chosen: dict[str, int]) -> Request:
        changed = {name: value for name, value in chosen.items() if value != values[name]}
        return dataclasses.replace(request, overrides={**request.overrides, **changed})

    return Knobs(values, {name: (1, 1 << 31) for name in values}, request_at)


def axis_knobs(request: Request, axes: DynamicAxes) -> Knobs:
    """The free axes of the inputs."""

    def request_at(chosen: dict[str, int]) -> Request:
        if all(axes.values[name] == value for name, value in chosen.items()):
            return request
        return dataclasses.replace(request, input_shapes=axes.shapes_at({**axes.values, **chosen}))

    return Knobs(dict(axes.values), dict(axes.ranges), request_at, axes.allows)


def sizes_json(request: Request) -> dict[str, Any]:
    """The part of a request that says its sizes, as the wire has it."""
    made: dict[str, Any] = {}
    if request.overrides:
        made["overrides"] = request.overrides
    if request.input_shapes is not None:
        made["input_shapes"] = request.input_shapes
    return made
