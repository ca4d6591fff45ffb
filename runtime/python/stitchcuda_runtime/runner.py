# SPDX-License-Identifier: Apache-2.0
"""One module's program on one device: keeps prepared memory in step with the parameters, and runs calls."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from . import structures as s
from .build import library_for
from .contract import Contract, Refused, check_tensor
from .host import Graphs, host_layer
from .program import BoundCall, Program, as_argument, load_library


def load_program(contract: Contract, device: torch.device) -> Program:
    """Builds (once) and loads the program of a generated project for a device."""
    if device.type == "cpu":
        return Program(load_library(library_for(contract.folder, "cpu")), device)
    if device.type != "cuda":
        raise Refused(f"{contract.name} runs on CUDA devices and, emulated, on the CPU; not on {device}.")
    major, minor = torch.cuda.get_device_capability(device)
    number = f"{major}{minor}"
    architecture = f"sm_{number}a" if number in ("90", "100", "120") else f"sm_{number}"
    return Program(load_library(library_for(contract.folder, "cuda", architecture), emulated=False), device)


def tensor_at(module: nn.Module, path: str) -> torch.Tensor | None:
    """The parameter, buffer or plain attribute of that path."""
    *owners, name = path.split(".")
    thing: Any = module
    for step in owners:
        # Straight from the modules' own tables where it can be: nn.Module's attributes cost a call tenfold.
        children = thing.__dict__.get("_modules") if isinstance(thing, nn.Module) else None
        thing = children[step] if children and step in children else getattr(thing, step, None)
    if isinstance(thing, nn.Module):
        for table in ("_parameters", "_buffers"):
            found = thing.__dict__[table].get(name)
            if found is not None and name not in thing.__dict__:
                return found
    found = getattr(thing, name, None)
    return found if isinstance(found, torch.Tensor) else None


def moved_attribute(module: nn.Module, path: str, tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A tensor that a module holds as a plain attribute stays behind when the module moves; it follows here. What is
    registered is left where its owner put it."""
    owner_path, _, name = path.rpartition(".")
    owner = module.get_submodule(owner_path)
    if owner.__dict__.get(name) is tensor:
        owner.__dict__[name] = tensor = tensor.to(device)
    return tensor


def as_real(tensor: torch.Tensor) -> torch.Tensor:
    """A complex tensor as programs hold it: the same memory as real numbers, with a last axis of two."""
    if not tensor.is_complex():
        return tensor
    with torch.no_grad():
        return torch.view_as_real(tensor.resolve_conj() if tensor.is_conj() else tensor)


class Runner:
    """Used by one thread at a time."""

    def __init__(self, contract: Contract, device: torch.device) -> None:
        self.contract, self.device = contract, device
        self.program = load_program(contract, device)
        layer = host_layer(self.program.library, device.type == "cpu")
        self.graphs = Graphs(layer, self.program.table, self.program.handle) if layer and not contract.random else None
        self._seen: list[tuple | None] | None = None  # nothing is prepared yet, not even a program without parameters
        self._sources: list[torch.Tensor] = []
        self._streams: dict[int, torch.cuda.Stream] = {}  # those that calls have used since the last prepare()
        self._prepared = torch.cuda.Event() if device.type == "cuda" else None

    def run(self, module: nn.Module, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        """The outputs of one call; the module's states are given their new values."""
        for tensor, spec in zip(inputs, self.program.inputs):
            check_tensor(self.contract.name, "input", tensor, spec, self.device)
        self._keep_prepared(module)
        states = [self._state(module, spec.name) for spec in self.program.states]
        arguments = [as_argument(state) for state in states]
        seed, offset = self._random()
        call = BoundCall(self.program, [as_argument(tensor) for tensor in inputs], arguments, seed, offset, arguments)
        call.run(self.graphs)
        for state, argument in zip(states, arguments):
            if argument.data_ptr() != state.data_ptr():
                with torch.no_grad():
                    state.copy_(argument)
            elif not state.is_inference():
                torch.autograd.graph.increment_version(state)
        return call.outputs

    def _state(self, module: nn.Module, name: str) -> torch.Tensor:
        state = tensor_at(module, name)
        if state is None:
            raise Refused(f"{self.contract.name} has lost its buffer {name}.")
        if state.device != self.device:
            state = moved_attribute(module, name, state, self.device)
        state = as_real(state)
        spec = next(spec for spec in self.program.states if spec.name == name)
        check_tensor(self.contract.name, "buffer", state, spec, self.device)
        return state

    def _keep_prepared(self, module: nn.Module) -> None:
        """Calls prepare() when a parameter is another one, lies elsewhere or has been written to."""
        tensors = [tensor_at(module, spec.name) for spec in self.program.parameters]
        seen = [_state_of(tensor) for tensor in tensors]
        current = torch.cuda.current_stream(self.device) if self.device.type == "cuda" else None
        if seen != self._seen or any(state is None for state in seen if state != ()):
            self._prepare(tensors, current)
            self._seen = seen
        elif current is not None and current.cuda_stream not in self._streams:
            current.wait_event(self._prepared)
        if current is not None:
            self._streams[current.cuda_stream] = current

    def _prepare(self, tensors: list[torch.Tensor | None], current: torch.cuda.Stream | None) -> None:
        if current is not None and torch.cuda.is_current_stream_capturing():
            raise Refused(f"{self.contract.name} has to be called once, with these parameters, before it is captured.")
        values = {}
        for spec, tensor in zip(self.program.parameters, tensors):
            value = self.contract.constant(spec.name, self.device) if tensor is None else tensor
            if spec.role == s.CONSTANT and value.device != self.device:
                value = value.to(self.device)
            value = as_real(value)
            check_tensor(self.contract.name, "parameter", value, spec, self.device)
            values[spec.name] = value
        for stream in self._streams.values():
            current.wait_stream(stream)  # calls under way still read what prepare() writes
        self._streams = {}
        before = self.program.prepared_addresses
        self.program.prepare(values)
        if self.graphs is not None and self.program.prepared_addresses != before:
            self.graphs.clear()
        if self._prepared is not None:
            self._prepared.record(current)

    def _random(self) -> tuple[int, int]:
        """Seed and offset of this call, drawn from torch's own generator of the device."""
        if not self.contract.random:
            return 0, 0
        return int(torch.randint(2**63 - 1, (1,)).item()), 0


def _state_of(tensor: torch.Tensor | None) -> tuple | None:
    """What changes when a tensor is replaced, moved or written to; None where that cannot be known."""
    if tensor is None:
        return ()
    return None if tensor.is_inference() else (id(tensor), tensor._version, tensor.data_ptr(), tensor.dtype)
