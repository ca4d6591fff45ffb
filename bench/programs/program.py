# SPDX-License-Identifier: Apache-2.0
"""A PyTorch program on the GPU: module, inputs, and the buffers that a call changes, put back before each."""

from __future__ import annotations

import importlib.util

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


def to_gpu(value):
    return value.cuda() if isinstance(value, torch.Tensor) else value


class Subject:
    def __init__(self, path: str):
        spec = importlib.util.spec_from_file_location("subject", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        torch.manual_seed(0)
        with torch.device("cuda"):
            self.model = module.Model(*module.get_init_inputs()).cuda()
            self.inputs = [to_gpu(value) for value in module.get_inputs()]
        before = {name: buffer.detach().clone() for name, buffer in self.model.named_buffers()}
        first, second = self.outputs(), self.outputs()
        self.is_random = any(not torch.equal(a, b) for a, b in zip(first, second)) and not before
        self.changed = [
            (buffer, before[name])
            for name, buffer in self.model.named_buffers()
            if not torch.equal(buffer, before[name])
        ]
        self.reset()

    def outputs(self) -> list[torch.Tensor]:
        leaves = _pytree.tree_leaves(self.model(*self.inputs))
        return [leaf.clone() for leaf in leaves if isinstance(leaf, torch.Tensor)]

    def reset(self) -> None:
        for buffer, before in self.changed if hasattr(self, "changed") else []:
            buffer.copy_(before)

    def buffers(self) -> dict[str, torch.Tensor]:
        return {name: tensor.detach() for name, tensor in self.model.named_buffers(remove_duplicate=False)}

    def state(self) -> dict[str, torch.Tensor]:
        parameters = {name: tensor.detach() for name, tensor in self.model.named_parameters(remove_duplicate=False)}
        return {**parameters, **self.buffers()}

    def difference(self, ours, outputs: list[torch.Tensor]) -> float | None:
        """The largest relative difference (of norms) of our outputs to eager's; None where eager is random."""
        self.reset()
        expected = self.outputs()
        self.reset()
        ours()
        torch.cuda.synchronize()
        if self.is_random or len(expected) != len(outputs):
            return None
        worst = 0.0
        for got, wanted in zip(outputs, expected):
            if got.shape != wanted.shape:
                return float("inf")
            scale = wanted.double().norm().item()
            worst = max(worst, (got.double() - wanted.double()).norm().item() / max(scale, 1e-30))
        return worst
