# SPDX-License-Identifier: Apache-2.0
"""One draw: inputs of a regime, parameters, states and constants, made from names and numbers only."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..failures import PROGRAM_INVALID, Failure
from ..graph.functional import CONSTANT, INPUT, RANDOM, STATE, FunctionalProgram
from ..program.build import Program
from .bounds import ignored_targets, integer_bounds, offset_inputs
from .given_numbers import Numbers, drawn_numbers
from .inputs import InputSource
from .native import NativeModule
from .parameters import needs_wide_draws, redrawn_mean, redrawn_parameter, redrawn_variance, running_statistics
from .perturb import finest_output, is_as_fine, one_ulp_away
from .regimes import inside_observed, observe, transformed, with_ignored
from .seeds import derive, generator


@dataclass
class Drawn:
    """`inputs` is the argument tuple of forward; `tensors` holds parameters and buffers by state-dict name, `numbers`
    those of the calls that draw, by graph value name."""

    inputs: tuple[Any, ...]
    tensors: dict[str, torch.Tensor]
    numbers: Numbers = field(default_factory=dict)


class Drawer:
    """Makes draws for one program. The same (seed, regime, draw) gives the same values on the same kind of device."""

    def __init__(
        self,
        program: Program,
        graph: FunctionalProgram,
        native: NativeModule,
        device: torch.device,
        source: InputSource,
    ) -> None:
        self._program, self._graph, self._native, self._device = program, graph, native, device
        self._bounds, self._offsets = integer_bounds(graph), offset_inputs(graph)
        self._ignored = ignored_targets(graph)
        self._means, self._variances = running_statistics(graph)
        self._finest = finest_output(graph)
        self._source = source
        self._input_names = [value.name for value in graph.values if value.role == INPUT]
        self._constants = {
            value.binding: graph.tensors[value.binding].to(device)
            for value in graph.of_role(CONSTANT)
            if value.binding not in native.constructed
        }

    def draw(self, seed: int, regime: str, number: int, fallback: bool = False) -> Drawn:
        """The values of one draw. With `fallback`, the inputs are redrawn inside the range that the file draws."""
        program = self._program
        inputs = self._source.draw(program.namespace, program.request, derive(seed, regime, number, "inputs"))
        source = generator(self._device, seed, regime, number, "transform")
        names = iter(self._input_names)

        def change(tensor: torch.Tensor) -> torch.Tensor:
            name = next(names)
            if name in self._offsets:
                return tensor
            self._refuse_beyond(name, tensor)
            if fallback:
                return inside_observed(tensor, observe(tensor), source)
            changed = transformed(tensor, regime, number, self._bounds.get(name), source)
            ignored = self._ignored.get(name) if regime == "sparse_extreme" else None
            return changed if ignored is None else with_ignored(changed, ignored, source)

        inputs = pytree.tree_map_only(torch.Tensor, lambda tensor: change(tensor.to(self._device)), inputs)
        tensors = self._tensors(generator(self._device, seed, regime, number, "parameters"), number % 2 == 1)
        numbers = drawn_numbers(self._graph, generator("cpu", seed, regime, number, "numbers"), self._device)
        return Drawn(inputs, tensors, numbers)

    def _refuse_beyond(self, name: str, tensor: torch.Tensor) -> None:
        """Raises a Failure where the file's own integers lead outside of what they index. With other constants than
        the file's own they may."""
        bound, request = self._bounds.get(name), self._program.request
        if bound is None or request.overrides or tensor.is_floating_point() or tensor.numel() == 0:
            return
        greatest = int(tensor.max())
        if greatest >= bound:
            base = os.path.basename(request.file)
            message = f"get_inputs() of {base} draws {greatest} for input {name}, which may be {bound - 1} at most."
            raise Failure(PROGRAM_INVALID, message, request.file, "Draw indices inside the table that they index.")

    def _tensors(self, source: torch.Generator, is_odd: bool) -> dict[str, torch.Tensor]:
        made: dict[str, torch.Tensor] = {}
        by_object: dict[int, torch.Tensor] = {}
        for name, tensor in self._native.tensors().items():
            if id(tensor) not in by_object:
                by_object[id(tensor)] = self._tensor(name, isinstance(tensor, torch.nn.Parameter), source, is_odd)
            made[name] = by_object[id(tensor)]
        return made

    def _tensor(self, name: str, is_parameter: bool, source: torch.Generator, is_odd: bool) -> torch.Tensor:
        original = self._native.constructed[name]
        if name in self._means:
            return redrawn_mean(original, source)
        if name in self._variances:
            return redrawn_variance(original, source)
        if not is_parameter:
            return original
        return redrawn_parameter(original, source, is_odd and needs_wide_draws(original))

    def with_contents(self, drawn: Drawn, inputs: list[torch.Tensor], states: list[torch.Tensor]) -> Drawn:
        """`drawn` with other inputs and states, in the graph's order; what else it holds stays. For programs whose
        numbers are not random."""
        given = iter(inputs)
        replace = lambda tensor: next(given).to(self._device).reshape(tensor.shape)  # noqa: E731
        by_object = {
            id(drawn.tensors[value.binding]): state.to(self._device).reshape(drawn.tensors[value.binding].shape)
            for value, state in zip(self._graph.of_role(STATE), states)
        }
        tensors = {name: by_object.get(id(tensor), tensor) for name, tensor in drawn.tensors.items()}
        return Drawn(pytree.tree_map_only(torch.Tensor, replace, drawn.inputs), tensors, drawn.numbers)

    def graph_values(self, drawn: Drawn) -> dict[str, torch.Tensor]:
        """The draw by graph value name."""
        leaves = iter([leaf for leaf in pytree.tree_leaves(drawn.inputs) if isinstance(leaf, torch.Tensor)])
        by_name: dict[str, torch.Tensor] = {}
        for value in self._graph.values:
            if value.role == INPUT:
                by_name[value.name] = next(leaves)
            elif value.role == RANDOM:
                by_name[value.name] = drawn.numbers[value.name]
            elif value.binding in drawn.tensors:
                by_name[value.name] = drawn.tensors[value.binding].detach()
            else:
                by_name[value.name] = self._constants[value.binding]
        return by_name

    def perturbed(self, drawn: Drawn, source: torch.Generator) -> Drawn:
        """The draw with every float input, parameter and state one unit in the last place away. Fixed buffers stay, and
        so does what is coarser than an output: a unit of a bfloat16 input is no rounding error of a float32 result."""
        states = {value.binding for value in self._graph.values if value.role == "state"}
        move = lambda tensor: one_ulp_away(tensor, source) if is_as_fine(tensor, self._finest) else tensor  # noqa: E731
        by_object: dict[int, torch.Tensor] = {}
        tensors = {}
        for name, tensor in drawn.tensors.items():
            moves = name in states or isinstance(self._native.tensors()[name], torch.nn.Parameter)
            if id(tensor) not in by_object:
                by_object[id(tensor)] = move(tensor) if moves else tensor
            tensors[name] = by_object[id(tensor)]
        return Drawn(pytree.tree_map_only(torch.Tensor, move, drawn.inputs), tensors, drawn.numbers)
