# SPDX-License-Identifier: Apache-2.0
"""Calls of the loaded module: states and inputs in, forward, states and outputs out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from . import storage
from .channel import Fault
from .host_device import HostDevice
from .kept import KeptOutputs
from .memory import Memory
from .module import CandidateModule
from .outputs import copy_out, hand_over
from .tape import Tape, held_by
from .types import data_pointer, is_contiguous, is_plain
from .values import decoded, leaves

Arguments = dict[str, Any]


@dataclass
class BoundCall:
    """A request's memory as forward takes it."""

    call: Arguments
    arguments: Any
    states: list[tuple[torch.Tensor, int, int]]  # what holds each, where its value lies, bytes
    replay: Callable[[], Any] | None = None  # forward as a graph of the device; its outputs lie where they did


class Calls:
    """`interface` is what the supervisor says of the program that the module stands for."""

    def __init__(self, module: CandidateModule, interface: Arguments, memory: Memory, device: HostDevice) -> None:
        self._module, self._interface, self._memory, self._device = module, interface, memory, device
        self._program = interface["program"]
        # The reference itself, which has its class named, is asked nothing: compiled it may make one tensor of two that
        # are alike, and on a GPU its outputs may lie otherwise than where its storage was looked at.
        self._storage = None if "class" in interface else interface.get("storage")
        self.captures = bool(interface.get("captures"))  # timed calls are graphs of the device
        self._kept = KeptOutputs(device)
        self._last: tuple[BoundCall, Any, dict[int, Any]] | None = None  # call, what forward returned, outputs
        self._given: list[tuple[str, torch.Tensor, int, int]] = []  # name, tensor, where its value lies, bytes

    def prepare(self, parameters: list[Arguments]) -> None:
        """Writes parameters in place, as an optimiser's step or load_state_dict would."""
        self._given = []
        for binding, description, argument in zip(
            self._interface["parameters"], self._program["parameters"], parameters
        ):
            self._give(binding, description["name"], argument)
        self._device.settle()

    def _give(self, binding: str, name: str, argument: Arguments) -> None:
        """The keeper's bytes into the module's tensors of that name; constants of the graph have none."""
        address, size = self._memory.address(argument), int(argument["bytes"])
        for tensor in self._module.places(binding):
            self._device.copy(data_pointer(tensor), address, size)
            torch.autograd.graph.increment_version(tensor)
            self._given.append((name, tensor, address, size))

    def bind(self, call: Arguments) -> BoundCall:
        """Tensors over the memory that a request names."""
        inputs = [
            self._memory.tensor(argument, description["dtype"])
            for description, argument in zip(self._program["inputs"], call["inputs"])
        ]
        states = [
            (tensor, self._memory.address(argument), int(argument["bytes"]))
            for binding, argument in zip(self._interface["states"], call["states_in"])
            for tensor in self._module.places(binding)
        ]
        return BoundCall(call, decoded(self._interface["takes"], inputs), states)

    def put_states(self, bound: BoundCall) -> None:
        """The values that the call starts from."""
        for tensor, address, size in bound.states:
            self._device.copy(data_pointer(tensor), address, size)
            torch.autograd.graph.increment_version(tensor)

    def forward(self, bound: BoundCall) -> Any:
        """What the module returns."""
        return self._module.call(bound.arguments) if bound.replay is None else bound.replay()

    def capture(self, bound: BoundCall) -> None:
        """From here on forward is one graph of the device over the call's own memory: nothing is copied to begin with.
        Raises a Fault where it cannot be captured."""
        self.put_states(bound)
        bound.replay = self._device.capture(lambda: self._module.call(bound.arguments), lambda: self.put_states(bound))

    def hand_over(self, bound: BoundCall, result: Any) -> dict[int, Any]:
        """Outputs, by their number, to their places."""
        return hand_over(
            result,
            self._interface["returns"],
            self._program["outputs"],
            bound.call["outputs"],
            self._memory,
            self._device,
        )

    def lies_in_module(self, result: Any) -> bool:
        """Whether an output is part of a tensor that the module holds."""
        found: dict[int, Any] = {}
        leaves(self._interface["returns"], result, found)
        extents = self._module.extents()
        places = [data_pointer(tensor) for tensor in found.values() if is_plain(tensor)]
        return any(start <= place < start + size for place in places for start, size in extents)

    def strided(self, result: Any) -> list[Any]:
        """The outputs that are not contiguous where the reference's are."""
        found: dict[int, Any] = {}
        leaves(self._interface["returns"], result, found)
        asked = {number for number, each in enumerate(self._storage or []) if each["is_contiguous"]}
        shown = [found[number] for number in sorted(asked & found.keys())]
        return [tensor for tensor in shown if is_plain(tensor) and not is_contiguous(tensor)]

    def hand_states(self, bound: BoundCall) -> None:
        """New states to their places."""
        for binding, description, argument in zip(
            self._interface["states_out"], self._program["states_out"], bound.call["states_out"]
        ):
            places = self._module.places(binding)
            if not places:
                raise Fault(f"ModelNew holds no {binding}, which the reference updates")
            held = places[0].detach()
            if held.is_complex():  # the keeper knows it as real numbers, with a last axis of two
                held = torch.view_as_real(held)
            copy_out(held, description["dtype"], argument, f"state {binding}", self._memory, self._device)

    def run(self, call: Arguments, begin_trial: Callable[[], None], tape: Tape | None = None) -> None:
        """A call that is looked at from all sides. What `begin_trial` begins lasts beyond it: the candidate's code may
        run whenever its result is looked at."""
        bound = self.bind(call)
        self.put_states(bound)
        torch.manual_seed(_generator_seed(int(call["rng_seed"]), int(call["rng_offset"])))
        self._device.settle()
        self._device.arrive_late([(self._memory.address(given), int(given["bytes"])) for given in call["inputs"]])
        begin_trial()
        result = self.forward(bound) if tape is None else self._recorded(bound, tape)
        found = self.hand_over(bound, result)
        self._last = None if tape is None else (bound, result, found)
        self._check_storage(bound, found)
        self.hand_states(bound)
        self._device.called()
        self._device.settle()
        self._check_given()
        self._kept.check()
        sizes = [int(argument["bytes"]) for argument in call["outputs"]]
        self._kept.keep(found, sizes, self._memory.extents() + self._module.extents())

    def _recorded(self, bound: BoundCall, tape: Tape) -> Any:
        parameters = [(data_pointer(tensor), size) for _, tensor, _, size in self._given]
        tape.begin(self._module.module, self._memory.extents() + parameters)
        try:
            with tape:
                return self.forward(bound)
        finally:
            tape.end()

    def again(self, tape: Tape, as_before: bool) -> bool:
        """What the last call did on the device, with the inputs, states and parameters that the keeper's memory holds
        by now, and its results to their places. Nothing of the candidate's runs. Everything else is as it was.
        `as_before`: what else the device's memory holds is what it held before that call, and not what it left."""
        if self._last is None or self._device.emulated is None or not tape.is_whole():
            return False
        bound, result, found = self._last
        blocks = self._memory.extents()
        outputs = [storage.extent_of(tensor) for tensor in found.values()]
        held = [(each.data_ptr(), each.nbytes()) for each in held_by(self._module.module)]
        own = dict([*held, *outputs, *tape.extents()])
        kept = [each for each in own.items() if not storage.lies_in(each[0], blocks)]
        if not self._device.emulated.begin_playing(kept, blocks):
            return False
        if as_before:
            self._device.emulated.put_first_contents_back()
        self.put_states(bound)
        for _, tensor, address, size in self._given:
            self._device.copy(data_pointer(tensor), address, size)
        is_done = tape.play()
        if is_done:
            self.hand_over(bound, result)
            self.hand_states(bound)
        self._device.emulated.end_playing()
        return is_done

    def _check_storage(self, bound: BoundCall, found: dict[int, Any]) -> None:
        if self._storage is None:
            return
        inputs = [(self._memory.address(given), int(given["bytes"])) for given in bound.call["inputs"]]
        storage.check(found, self._storage, inputs, self._memory.extents(), self._module.named_extents())

    def _check_given(self) -> None:
        for name, tensor, address, size in self._given:
            if not self._device.equal(data_pointer(tensor), address, size):
                raise Fault(f"forward changed the parameter {name}, which the reference leaves as it is")


def _generator_seed(seed: int, offset: int) -> int:
    """One number of both: torch has no offset of its own on a CPU."""
    return (seed + offset * 0x9E3779B97F4A7C15) & 0x7FFFFFFFFFFFFFFF
