# SPDX-License-Identifier: Apache-2.0
"""The worker's verbs (src/worker/session has the same ones for native programs)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .channel import Fault
from .guard import Guard
from .kept import KeptOutputs
from .memory import Memory, copy_bytes, equal_bytes
from .module import CandidateModule
from .outputs import copy_out, hand_over
from .types import data_pointer
from .values import decoded

Arguments = dict[str, Any]


class Session:
    """One candidate from load to the end of the process."""

    def __init__(self, guard: Guard) -> None:
        self._guard, self._memory = guard, Memory()
        self._interface: dict[str, Any] = {}
        self._candidate: CandidateModule | None = None
        self._bound: list[Arguments] = []
        self._kept = KeptOutputs()
        self._given: list[tuple[str, torch.Tensor, int, int]] = []  # name, tensor, where its value lies, bytes
        self._verbs: dict[str, Callable[[Arguments], dict[str, Any]]] = {
            "hello": lambda _: {},
            "load": self._load,
            "detach": self._detach,
            "prepare": self._prepare,
            "workspace": lambda _: {"bytes": 0},
            "run": self._run,
            "bind": self._bind,
            "run_block": self._run_block,
        }

    def handle(self, message: Arguments, descriptors: list[int]) -> dict[str, Any]:
        """Answers one request. Raises a Fault where the candidate is to blame."""
        verb, arguments = str(message["verb"]), message["arguments"]
        if verb == "attach":
            self._memory.attach(arguments["blocks"], descriptors)
            return {}
        self._guard.check()
        answer = self._verbs[verb](arguments)
        self._guard.check()
        return answer

    def _load(self, arguments: Arguments) -> dict[str, Any]:
        self._interface = arguments["interface"]
        self._candidate = CandidateModule(arguments["library"], self._interface)
        self._guard.enforce()
        return dict(self._interface["program"])

    def _detach(self, arguments: Arguments) -> dict[str, Any]:
        self._memory.detach(arguments["ids"])
        return {}

    def _prepare(self, arguments: Arguments) -> dict[str, Any]:
        """Writes parameters in place, as an optimiser's step or load_state_dict would."""
        self._given = []
        described = self._interface["program"]["parameters"]
        for binding, description, argument in zip(self._interface["parameters"], described, arguments["parameters"]):
            self._give(binding, description, argument)
        return {}

    def _give(self, binding: str, description: Arguments, argument: Arguments) -> None:
        """The keeper's bytes into the candidate's tensors of that name; constants of the graph have none."""
        address, size = self._memory.address(argument), int(argument["bytes"])
        for tensor in self._loaded().places(binding):
            copy_bytes(data_pointer(tensor), address, size)
            torch.autograd.graph.increment_version(tensor)
            self._given.append((description["name"], tensor, address, size))

    def _run(self, arguments: Arguments) -> dict[str, Any]:
        call = arguments["call"]
        program = self._interface["program"]
        for binding, description, argument in zip(self._interface["states"], program["states_in"], call["states_in"]):
            for tensor in self._loaded().places(binding):
                copy_bytes(data_pointer(tensor), self._memory.address(argument), int(argument["bytes"]))
                torch.autograd.graph.increment_version(tensor)
        self._call(call)
        for name, tensor, address, size in self._given:
            if not equal_bytes(data_pointer(tensor), address, size):
                raise Fault(f"forward changed the parameter {name}, which the reference leaves as it is")
        for binding, description, argument in zip(
            self._interface["states_out"], program["states_out"], call["states_out"]
        ):
            self._hand_state(binding, description, argument)
        return {"operators": self._guard.counts()}

    def _hand_state(self, binding: str, description: Arguments, argument: Arguments) -> None:
        places = self._loaded().places(binding)
        if not places:
            raise Fault(f"ModelNew holds no {binding}, which the reference updates")
        copy_out(places[0].detach(), description["dtype"], argument, f"state {binding}", self._memory, "cpu")

    def _call(self, call: Arguments) -> None:
        program = self._interface["program"]
        inputs = [
            self._memory.tensor(argument, description["dtype"])
            for description, argument in zip(program["inputs"], call["inputs"])
        ]
        torch.manual_seed(int(call["rng_seed"]) & 0x7FFFFFFFFFFFFFFF)
        result = self._loaded().call(decoded(self._interface["takes"], inputs))
        found = hand_over(result, self._interface["returns"], program["outputs"], call["outputs"], self._memory, "cpu")
        self._kept.check()
        sizes = [int(argument["bytes"]) for argument in call["outputs"]]
        self._kept.keep(found, sizes, self._memory.extents() + self._loaded().extents())

    def _bind(self, arguments: Arguments) -> dict[str, Any]:
        self._bound = list(arguments["calls"])
        return {}

    def _run_block(self, arguments: Arguments) -> dict[str, Any]:
        """No caches are emptied and no events recorded: there is no GPU here."""
        for turn in arguments["order"] if arguments["with_calls"] else []:
            self._call(self._bound[turn])
        return {"event_us": 0.0}

    def _loaded(self) -> CandidateModule:
        if self._candidate is None:
            raise RuntimeError("no candidate is loaded")
        return self._candidate
