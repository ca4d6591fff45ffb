# SPDX-License-Identifier: Apache-2.0
"""The worker's verbs (src/worker/session has the same ones for native programs)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from stitchcuda_python.vocabulary import MATH_MODES

from .bursts import Bursts
from .calls import Arguments, Calls
from .collect import collected, found_cuda
from .emulated import EmulatedDevice
from .guard import NoGuard
from .host_device import HostDevice
from .memory import Memory
from .module import CandidateModule
from .tape import Tape


def set_math(name: str) -> None:
    """PyTorch's two TF32 switches as a math mode has them (the oracle's native runs have them alike)."""
    mode = MATH_MODES[name]
    torch.backends.cuda.matmul.allow_tf32 = mode.tf32_products
    torch.backends.cudnn.allow_tf32 = mode.tf32_convolutions


class Session:
    """One candidate from load to the end of the process."""

    def __init__(self, guard: NoGuard, device: HostDevice, emulated: EmulatedDevice | None = None) -> None:
        self._guard, self._device, self._memory = guard, device, Memory(device)
        self._emulated = emulated  # what is asked of it beside running calls
        if emulated is not None:
            device.emulated = emulated
        self._has_kernels = False
        self._tape: Tape | None = None  # of the last whole call, where the device is emulated and kernels run there
        self._calls: Calls | None = None
        self._bursts: Bursts | None = None
        self._verbs: dict[str, Callable[[Arguments], dict[str, Any]]] = {
            "hello": self._hello,
            "load": self._load,
            "collect": lambda arguments: collected(arguments, self._guard, self._device),
            "detach": self._detach,
            "prepare": self._prepare,
            "workspace": lambda _: {"bytes": 0},
            "run": self._run,
            "again": self._again,
            "bind": self._bind,
            "run_block": self._run_block,
        }

    def handle(self, message: Arguments, descriptors: list[int]) -> dict[str, Any]:
        """Answers one request. Raises a Fault where the candidate is to blame."""
        verb, arguments = str(message["verb"]), message["arguments"]
        if self._emulated is not None:
            self._emulated.end_trial()  # it lasts until the next request: nobody has work between two calls
        if verb == "attach":
            self._memory.attach(arguments["blocks"], descriptors)
            return {}
        if self._tape is not None and verb != "again":
            self._tape.forget()
        self._guard.check()
        answer = self._verbs[verb](arguments)
        self._guard.check()
        return answer

    def _hello(self, _: Arguments) -> dict[str, Any]:
        self._device.open()
        if self._device.runtime:
            self._guard.watch_captures(self._device.runtime)
        return {}

    def _load(self, arguments: Arguments) -> dict[str, Any]:
        interface = arguments["interface"]
        if "math" in interface:
            set_math(interface["math"])
        around = found_cuda(arguments, self._guard, collects=False)[1]
        self._has_kernels = bool(arguments.get("extensions"))
        if self._emulated is not None and self._has_kernels:
            self._tape = Tape(self._emulated)
        module = CandidateModule(arguments["library"], interface, self._device, around)
        self._calls = Calls(module, interface, self._memory, self._device)
        self._guard.enforce()
        return dict(interface["program"])

    def _detach(self, arguments: Arguments) -> dict[str, Any]:
        self._memory.detach(arguments["ids"])
        return {}

    def _prepare(self, arguments: Arguments) -> dict[str, Any]:
        self._loaded().prepare(arguments["parameters"])
        return {}

    def _run(self, arguments: Arguments) -> dict[str, Any]:
        trial = int(arguments.get("trial", 0))
        self._guard.begin_call(self._tape is not None)
        self._loaded().run(arguments["call"], lambda: self._begin_trial(trial), self._tape)
        counts = self._guard.counts()
        if self._tape is not None:
            counts = {name: count - self._tape.counted_twice[name] for name, count in counts.items()}
        return {"operators": counts}

    def _again(self, arguments: Arguments) -> dict[str, Any]:
        """What the last call did on the device, on the contents that lie in its memory now."""
        is_done = self._tape is not None and self._loaded().again(self._tape, bool(arguments.get("as_before")))
        return {"done": is_done}

    def _begin_trial(self, kind: int) -> None:
        """Native code that came without kernels works in the host's memory, and is the device."""
        if self._emulated is not None and self._has_kernels:
            self._emulated.begin_trial(kind, self._memory.extents())

    def _bind(self, arguments: Arguments) -> dict[str, Any]:
        self._bursts = None  # what it held is free again
        self._bursts = Bursts(self._loaded(), self._device, arguments["calls"], int(arguments["evict_bytes"]))
        return {}

    def _run_block(self, arguments: Arguments) -> dict[str, Any]:
        if self._bursts is None:
            raise RuntimeError("run_block comes after bind")
        order = [int(number) for number in arguments["order"]]
        return {"event_us": self._bursts.run(order, bool(arguments["with_calls"]))}

    def _loaded(self) -> Calls:
        if self._calls is None:
            raise RuntimeError("no candidate is loaded")
        return self._calls
