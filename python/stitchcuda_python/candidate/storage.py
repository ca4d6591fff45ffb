# SPDX-License-Identifier: Apache-2.0
"""Which memory the program's outputs share, as PyTorch runs it: with inputs, with what the module holds, with each
other. Whoever stands for the program may share there and nowhere else."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils import _pytree as pytree

from ..program.build import Program


def storage_of(program: Program) -> list[dict[str, Any]] | None:
    """For every output: numbers of inputs and of earlier outputs in whose storage it lies, whether it lies in a tensor
    that the module holds before or after the call, whether it is contiguous, and whether its elements share memory.
    Found without data; None where forward cannot be run so, and any sharing has to pass. Forward may have changed the
    module afterwards."""
    inputs = pytree.tree_leaves(program.inputs)
    mode = next((item.fake_mode for item in inputs if isinstance(item, FakeTensor)), None)
    mode = mode or FakeTensorMode(allow_non_fake_inputs=True)
    try:
        with torch.no_grad(), mode:
            return _found(program, mode)
    except Exception:  # noqa: BLE001 - a program may read its own numbers, and raise whatever it likes then
        return None


def _found(program: Program, mode: FakeTensorMode) -> list[dict[str, Any]]:
    def as_fake(item: Any) -> Any:
        return item if not isinstance(item, torch.Tensor) or isinstance(item, FakeTensor) else mode.from_tensor(item)

    held = [as_fake(tensor) for tensor in _tensors(program.module)]
    placed = pytree.tree_map(as_fake, copy.copy(program.inputs))
    returned = program.module(*placed)
    held += [as_fake(tensor) for tensor in _tensors(program.module)]
    module = {_storage(tensor) for tensor in held}
    given = [_storage(item) for item in pytree.tree_leaves(placed) if isinstance(item, torch.Tensor)]
    outputs = [as_fake(item) for item in pytree.tree_leaves(returned) if isinstance(item, torch.Tensor)]
    storages = [_storage(output) for output in outputs]
    return [
        {
            "inputs": [number for number, storage in enumerate(given) if storage == own],
            "outputs": [number for number, storage in enumerate(storages[:place]) if storage == own],
            "in_module": own in module,
            "is_contiguous": output.is_contiguous(),
            "repeats": any(step == 0 and extent > 1 for extent, step in zip(output.shape, output.stride())),
        }
        for place, (output, own) in enumerate(zip(outputs, storages))
    ]


def _tensors(module: torch.nn.Module) -> list[torch.Tensor]:
    """Parameters, buffers and plain attributes."""
    attributes = [item for part in module.modules() for item in part.__dict__.values()]
    return [*module.parameters(), *module.buffers(), *(a for a in attributes if isinstance(a, torch.Tensor))]


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)
