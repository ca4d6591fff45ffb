# SPDX-License-Identifier: Apache-2.0
"""A PyTorch program on the GPU: module, inputs, and the states that a call changes, put back before each."""

from __future__ import annotations

import importlib.util

import agreement
import torch
from torch.utils import _pytree


def set_math(mode: str) -> None:
    torch.backends.cuda.matmul.allow_tf32 = mode in ("tf32", "reduced")
    torch.backends.cudnn.allow_tf32 = mode in ("tf32", "reduced", "kernelbench")
    # What decides a baseline's speed is said here, whatever the environment or an earlier program left.
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = False
    torch.use_deterministic_algorithms(False)


def flags() -> str:
    return (
        f"matmul.allow_tf32 {torch.backends.cuda.matmul.allow_tf32}, "
        f"cudnn.allow_tf32 {torch.backends.cudnn.allow_tf32}, cudnn.benchmark {torch.backends.cudnn.benchmark}"
    )


def tensors_of(values) -> list[torch.Tensor]:
    """The tensors among (nested) values, in order: what else stands there is no argument of a compiled program."""
    return [leaf for leaf in _pytree.tree_leaves(values) if isinstance(leaf, torch.Tensor)]


class State:
    """A buffer, or a tensor that a module holds as a plain attribute, and the place that it is found in."""

    def __init__(self, table: dict, name: str, tensor: torch.Tensor):
        self.table, self.name, self.tensor = table, name, tensor
        self.before: torch.Tensor | None = tensor.detach().clone()

    def is_changed(self) -> bool:
        now = self.table.get(self.name)
        return now is not self.tensor or not torch.equal(now, self.before)

    def put_back(self) -> None:
        self.table[self.name] = self.tensor  # forward may have put another in its place
        self.tensor.copy_(self.before)


def states_of(model: torch.nn.Module, device: str) -> dict[str, State]:
    found = {}
    for path, module in model.named_modules(remove_duplicate=False):
        for table in (module._buffers, vars(module)):
            for name, value in table.items():
                if isinstance(value, torch.Tensor):
                    table[name] = value.to(device)
                    found[f"{path}.{name}" if path else name] = State(table, name, table[name])
    return found


class Subject:
    def __init__(self, path: str, device: str = "cuda"):
        spec = importlib.util.spec_from_file_location("subject", path)
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.device, self.changed = device, []
        torch.manual_seed(0)
        with torch.device(device):
            self.model = self.module.Model(*self.module.get_init_inputs()).to(device)
            self.inputs = self.drawn()
        self.tensors = tensors_of(self.inputs)
        states = states_of(self.model, device)
        first, second = self.outputs(), self.outputs()
        self.is_random = any(not torch.equal(a, b) for a, b in zip(first, second)) and not states
        self.changed = [state for state in states.values() if state.is_changed()]
        self.states = {name: state.tensor for name, state in states.items()}
        for state in states.values():
            if state not in self.changed:
                state.before = None
        self.reset()

    def drawn(self) -> list:
        """get_inputs() on this device; called under torch.device()."""
        return _pytree.tree_map(
            lambda value: value.to(self.device) if isinstance(value, torch.Tensor) else value, self.module.get_inputs()
        )

    def draw_again(self, seed: int) -> None:
        """Other values in the same tensors, so that calls that are bound to them, or recorded, go on."""
        torch.manual_seed(seed)
        with torch.device(self.device):
            for tensor, drawn in zip(self.tensors, tensors_of(self.drawn())):
                tensor.copy_(drawn)

    def outputs(self) -> list[torch.Tensor]:
        return [tensor.clone() for tensor in tensors_of(self.model(*self.inputs))]

    def reset(self) -> None:
        for state in self.changed:
            state.put_back()

    def values(self) -> dict[str, torch.Tensor]:
        """Parameters and states by their names."""
        parameters = {name: tensor.detach() for name, tensor in self.model.named_parameters(remove_duplicate=False)}
        return {**parameters, **self.states}

    def both(self, ours, outputs: list[torch.Tensor]) -> list[tuple[torch.Tensor, torch.Tensor]] | None:
        """Ours beside eager's, on these inputs and from the same states; None where eager is random."""
        self.reset()
        expected = self.outputs()
        self.reset()
        ours()
        agreement.wait(self.device)
        return None if self.is_random or len(expected) != len(outputs) else list(zip(outputs, expected))

    def without_tf32(self) -> dict | None:
        """How far eager lies from itself in fp32 on these inputs: what the mode's rounding alone makes of this program.
        None where the mode rounds nothing, or eager is random."""
        switches = (torch.backends.cuda.matmul, torch.backends.cudnn)
        before = [switch.allow_tf32 for switch in switches]
        if self.is_random or not any(before):
            return None
        self.reset()
        rounded = self.outputs()
        self.reset()
        try:
            for switch in switches:
                switch.allow_tf32 = False
            both = list(zip(rounded, self.outputs()))
        finally:
            for switch, value in zip(switches, before):
                switch.allow_tf32 = value
        differences = [agreement.relative_difference(*pair) for pair in both]
        return {"difference": max(differences, default=0.0), **agreement.worst_by_kernelbench(both)}

    def difference(self, ours, outputs: list[torch.Tensor]) -> float | None:
        """The largest relative difference (of norms) of our outputs to eager's; None where eager is random."""
        both = self.both(ours, outputs)
        return None if both is None else max((agreement.relative_difference(*pair) for pair in both), default=0.0)
