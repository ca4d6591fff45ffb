# SPDX-License-Identifier: Apache-2.0
"""One draw: inputs of a regime, parameters, states and constants, made from names and numbers only."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..complexes.pair import as_real
from ..failures import PROGRAM_INVALID, Failure
from ..graph.functional import CONSTANT, INPUT, RANDOM, STATE, FunctionalProgram
from ..program.build import Program, draw_states
from . import constants as c
from .bounds import ignored_targets, integer_bounds
from .decisions import Decisions
from .given_numbers import Numbers, drawn_numbers
from .inputs import InputSource
from .native import NativeModule
from .integers import Legal, bag_offsets, drawn_offsets, legal_integers
from .manners import Manner, Manners, drawn_parameter, with_one_element_changed
from .parameters import needs_wide_draws
from .perturb import finest_output, is_as_fine, one_ulp_away
from .regimes import inside_observed, observe, transformed, with_ignored
from .seeds import coin, derive, generator
from .special_values import SpecialValues, with_specials
from .states import States


@dataclass
class Drawn:
    """`inputs` is the argument tuple of forward; `tensors` holds parameters and buffers by state-dict name, `numbers`
    those of the calls that draw, by graph value name."""

    inputs: tuple[Any, ...]
    tensors: dict[str, torch.Tensor]
    numbers: Numbers = field(default_factory=dict)
    special: tuple[float, ...] = ()  # that elements of the inputs were made


class Care(IntEnum):
    """How much a draw is kept to what the program is known to take, from nothing on."""

    SPECIAL = 0  # NaN, infinities and their like, in draws that have them
    BOLD = 1  # unusual parameters, states, integers and flags
    PLAIN = 2  # parameters near what constructors make, states as constructed, integers as programs mostly take them
    INSIDE = 3  # besides, inputs inside the range that the file draws


class Drawer:
    """Makes draws for one program. The same (seed, regime, draw) gives the same values on the same kind of device."""

    def __init__(
        self,
        program: Program,
        graph: FunctionalProgram,
        native: NativeModule,
        device: torch.device,
        source: InputSource,
        seed: int,
    ) -> None:
        self._program, self._graph, self._native, self._device = program, graph, native, device
        self._bounds, self._legal, self._offsets = integer_bounds(graph), legal_integers(graph), bag_offsets(graph)
        self._ignored = ignored_targets(graph)
        self._special = SpecialValues(graph)
        self._finest = finest_output(graph)
        self._source, self._seed = source, seed
        self._manners = Manners(native.parameters, bool(Decisions(graph).calls))
        self._declares = frozenset(self._declared(seed))
        self._states = States(graph, native.constructed, native.persistent, self._declares, self._held)
        self._input_names = [value.name for value in graph.values if value.role == INPUT]
        self._constants = {
            value.binding: graph.tensors[value.binding].to(device)
            for value in graph.of_role(CONSTANT)
            if value.binding not in native.constructed
        }

    def draw(self, seed: int, regime: str, number: int, care: Care = Care.SPECIAL) -> Drawn:
        """The values of one draw. The first one as given, by which the program is taken in, is never bold."""
        program = self._program
        is_bold = care <= Care.BOLD and self.may_be_bold(regime, number)
        inputs = self._source.draw(program.namespace, program.request, derive(seed, regime, number, "inputs"))
        special = self._special.of_draw(regime, number) if care == Care.SPECIAL else ()
        source = generator(self._device, seed, regime, number, "transform")
        names = iter(self._input_names)

        def change(tensor: torch.Tensor) -> torch.Tensor:
            name = next(names)
            if name in self._offsets:
                is_drawn = is_bold and regime != "as_given"
                return drawn_offsets(tensor, self._offsets[name], source) if is_drawn else tensor
            tensor = self._within_bounds(name, tensor)
            if care == Care.INSIDE:
                return inside_observed(tensor, observe(tensor), source)
            legal = self._legal.get(name, Legal())
            changed = transformed(tensor, regime, number, legal, source, is_bold)
            changed = with_specials(changed, special, source, self._special.most)
            ignored = self._ignored.get(name) if regime == "sparse_extreme" else None
            return changed if ignored is None else with_ignored(changed, ignored, source)

        inputs = pytree.tree_map_only(torch.Tensor, lambda tensor: change(tensor.to(self._device)), inputs)
        tensors = self._tensors(seed, regime, number, is_bold)
        if is_bold and self._declares:
            own = self._native.tensors()
            made = {id(own[name]): tensor for name, tensor in self._declared(derive(seed, regime, number)).items()}
            tensors = {name: made.get(id(own[name]), tensor) for name, tensor in tensors.items()}
        numbers = drawn_numbers(self._graph, generator("cpu", seed, regime, number, "numbers"), self._device)
        return Drawn(inputs, tensors, numbers, special)

    def _declared(self, seed: int) -> dict[str, torch.Tensor]:
        """What the file's own get_states() draws from `seed`."""
        torch.manual_seed(seed)
        made = draw_states(self._program.namespace, self._program.request, self._program.module)
        return {name: as_real(tensor.to(self._device)) for name, tensor in made.items()}

    def least_care(self, regime: str, number: int) -> Care:
        """Below this a draw is no other."""
        if self._special.of_draw(regime, number):
            return Care.SPECIAL
        return Care.BOLD if self.may_be_bold(regime, number) else Care.PLAIN

    def may_be_bold(self, regime: str, number: int) -> bool:
        """Whether the draw has other parameters and states than those of a new module, or other integers and flags than
        the file draws."""
        integers = any(not value.dtype.is_floating_point for value in self._graph.of_role(INPUT))
        return (integers or bool(self._native.constructed)) and (regime, number) != ("as_given", 0)

    def try_states(self, reason_against: Callable[[Drawn], str]) -> list[str]:
        """Draws states once, alone and as the file draws inputs. Those that the program does not take stay as they are
        constructed from now on; told in sentences, as is what else stays."""
        if not self._states.drawn:
            return []
        plain = self.draw(self._seed, "as_given", 0)
        if reason_against(self._with_states(plain, self._states.drawn)):
            for name in self._states.drawn:
                reason = reason_against(self._with_states(plain, [name]))
                if reason:
                    self._states.kept[name] = reason
        return [f"State {name} stays as it is constructed: {why}." for name, why in sorted(self._states.kept.items())]

    def _with_states(self, drawn: Drawn, names: list[str]) -> Drawn:
        source = generator(self._device, self._seed, "states")
        own = self._native.tensors()
        made = {id(own[name]): self._states.tensor(name, source, True) for name in names}
        tensors = {name: made.get(id(own[name]), tensor) for name, tensor in drawn.tensors.items()}
        return Drawn(drawn.inputs, tensors, drawn.numbers)

    def _held(self) -> dict[str, list[torch.Tensor]]:
        """What states hold as constructed and after some calls, as long as those are finite. Integers stay: a count
        may lead out of a table."""
        drawn = self.draw(self._seed, "as_given", 0)
        tensors = dict(drawn.tensors)
        held = {value.binding: [self._native.constructed[value.binding]] for value in self._graph.of_role(STATE)}
        results = {output.value: output.binding for output in self._graph.outputs if output.role == STATE}
        for call in range(c.STATE_CALLS):
            seed = derive(self._seed, "calls before", call)
            inputs = self._source.draw(self._program.namespace, self._program.request, seed)
            try:
                made = self._native.run(inputs, tensors, seed=seed)
            except Exception:  # noqa: BLE001 - whatever the user's forward raises in a state of its own
                break
            left = {results[name]: tensor for name, tensor in made.items() if name in results}
            left = {name: tensor for name, tensor in left.items() if tensor.is_floating_point()}
            if not all(bool(torch.isfinite(tensor).all()) for tensor in left.values()):
                break
            for name, tensor in left.items():
                held[name].append(tensor)
                tensors[name] = tensor
        return held

    @property
    def declares(self) -> frozenset[str]:
        """Of which get_states() tells what they may hold."""
        return self._declares

    @property
    def kept_states(self) -> dict[str, str]:
        """States that stay as constructed in every draw, and why."""
        return self._states.kept

    @property
    def has_parameters(self) -> bool:
        """Whether there are any that a manner can be asked of."""
        return any(self._native.constructed[name].is_floating_point() for name in self._native.parameters)

    def keeps(self, name: str) -> bool:
        """Whether the input stays what the file draws: its elements do not stand for themselves."""
        return name in self._offsets

    def _within_bounds(self, name: str, tensor: torch.Tensor) -> torch.Tensor:
        """The file's own integers. At other shapes what leads outside of what it indexes begins again at 0: the file
        cannot know how many there are. With other constants than the file's own it may lead there. Raises a Failure
        where it does at the file's own sizes."""
        bound, request = self._bounds.get(name), self._program.request
        if bound is None or request.overrides or tensor.is_floating_point() or tensor.numel() == 0:
            return tensor
        ignored = tensor == self._ignored.get(name, 0)  # losses leave it out
        greatest = int(torch.where(ignored, 0, tensor).max())
        if greatest < bound:
            return tensor
        if request.input_shapes is not None:
            return torch.where(ignored | (tensor < bound), tensor, tensor % bound)
        base = os.path.basename(request.file)
        message = f"get_inputs() of {base} draws {greatest} for input {name}, which may be {bound - 1} at most."
        raise Failure(PROGRAM_INVALID, message, request.file, "Draw indices inside the table that they index.")

    def _tensors(self, seed: int, regime: str, number: int, is_bold: bool) -> dict[str, torch.Tensor]:
        manner = self._manners.of(seed, regime, number) if is_bold else Manner()
        source = generator(self._device, seed, regime, number, "parameters")
        beside = self._parameters_beside(seed, regime, number, source) if manner.kind == c.BESIDE else {}
        made: dict[str, torch.Tensor] = {}
        by_object: dict[int, torch.Tensor] = {}
        for place, (name, tensor) in enumerate(self._native.tensors().items()):
            if id(tensor) not in by_object:
                original = self._native.constructed[name]
                if name in self._declares:
                    by_object[id(tensor)] = original
                elif name in beside:
                    by_object[id(tensor)] = beside[name]
                elif isinstance(tensor, torch.nn.Parameter):
                    wide = number % 2 == 1 and needs_wide_draws(original)
                    by_object[id(tensor)] = drawn_parameter(original, manner, place, wide, source)
                else:
                    by_object[id(tensor)] = self._states.tensor(name, source, is_bold)
            made[name] = by_object[id(tensor)]
        return made

    def _parameters_beside(
        self, seed: int, regime: str, number: int, source: torch.Generator
    ) -> dict[str, torch.Tensor]:
        """Those of the draw before it but for one element: of each, or, where calls after the draws have them too, of
        one alone."""
        theirs = self._tensors(seed, regime, number - 1, self.may_be_bold(regime, number - 1))
        changed = {id(tensor): theirs[name] for name, tensor in self._native.parameters.items()}
        is_of_each = regime != "as_given" or bool(coin(torch.empty(()), 0.5, source))
        chosen = int(torch.randint(max(len(changed), 1), (), generator=source, device=source.device))
        for place, (key, tensor) in enumerate(changed.items()):
            if is_of_each or place == chosen:
                changed[key] = with_one_element_changed(tensor, source)
        return {name: changed[id(tensor)] for name, tensor in self._native.parameters.items()}

    def with_contents(self, drawn: Drawn, inputs: list[torch.Tensor], states: list[torch.Tensor]) -> Drawn:
        """`drawn` with other inputs, then random numbers, and other states, in the graph's order; what else it holds
        stays."""
        given = iter(inputs)
        replace = lambda tensor: next(given).to(self._device).reshape(tensor.shape)  # noqa: E731
        by_object = {
            id(drawn.tensors[value.binding]): state.to(self._device).reshape(drawn.tensors[value.binding].shape)
            for value, state in zip(self._graph.of_role(STATE), states)
        }
        tensors = {name: by_object.get(id(tensor), tensor) for name, tensor in drawn.tensors.items()}
        made = pytree.tree_map_only(torch.Tensor, replace, drawn.inputs)
        numbers = {value.name: replace(drawn.numbers[value.name]) for value in self._graph.of_role(RANDOM)}
        return Drawn(made, tensors, drawn.numbers | numbers)

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
        states = {value.binding for value in self._graph.of_role(STATE) if not _counts(drawn.tensors[value.binding])}
        move = lambda tensor: one_ulp_away(tensor, source) if is_as_fine(tensor, self._finest) else tensor  # noqa: E731
        by_object: dict[int, torch.Tensor] = {}
        tensors = {}
        for name, tensor in drawn.tensors.items():
            moves = name in states or isinstance(self._native.tensors()[name], torch.nn.Parameter)
            if id(tensor) not in by_object:
                by_object[id(tensor)] = move(tensor) if moves else tensor
            tensors[name] = by_object[id(tensor)]
        return Drawn(pytree.tree_map_only(torch.Tensor, move, drawn.inputs), tensors, drawn.numbers)


def _counts(tensor: torch.Tensor) -> bool:
    """Whether it holds whole numbers, which rounding leaves as they are."""
    return tensor.is_floating_point() and bool((tensor == tensor.round()).all())
