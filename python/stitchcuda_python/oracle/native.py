# SPDX-License-Identifier: Apache-2.0
"""The user's own module as the truth of meaning: run eagerly in its own precision with values that we set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..complexes.pair import as_real
from ..graph.functional import OUTPUT, FunctionalProgram
from ..graph.unvalidated import values_unvalidated
from ..program.build import Program
from ..vocabulary import MATH_MODES
from .given_numbers import GivenNumbers, Numbers

_RANDOM_SEED = 20177  # the same for every run of a draw, so that random operators draw alike


@contextmanager
def tf32_flags(math: str) -> Iterator[None]:
    """PyTorch's two TF32 switches as a math mode has them. Without effect on a CPU."""
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    mode = MATH_MODES[math]
    torch.backends.cuda.matmul.allow_tf32 = mode.tf32_products
    torch.backends.cudnn.allow_tf32 = mode.tf32_convolutions
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


def _placed(module: torch.nn.Module, device: torch.device) -> torch.nn.Module:
    """`module` on `device`, tensors that are plain attributes (which Module.to leaves behind) included."""
    for part in module.modules():
        for name, item in list(part.__dict__.items()):
            if isinstance(item, torch.Tensor):
                part.__dict__[name] = item.to(device)
    return module.to(device)


class NativeModule:
    """Holds the module on its device and puts its parameters and buffers back before every run."""

    def __init__(self, program: Program, graph: FunctionalProgram, device: torch.device) -> None:
        self._module = _placed(program.module, device)
        self._graph = graph
        self._device = device
        self.parameters = dict(self._module.named_parameters(remove_duplicate=False))
        self._buffers = dict(self._module.named_buffers(remove_duplicate=False))
        self.persistent = set(self._module.state_dict())
        self._shared = self._shared_with_parameters()
        known = {value.binding for value in graph.values} | {output.binding for output in graph.outputs}
        self._untold = self._shared.keys() - known  # forward makes them before it looks at them
        self.constructed = {name: as_real(tensor.detach()).clone() for name, tensor in self.tensors().items()}

    def _shared_with_parameters(self) -> dict[str, str]:
        """Buffers that lie in a parameter's memory as constructed, and which parameter's."""
        place = lambda tensor: tensor.untyped_storage().data_ptr()  # noqa: E731
        owners = {place(parameter): name for name, parameter in self.parameters.items()}
        return {name: owners[place(buffer)] for name, buffer in self._buffers.items() if place(buffer) in owners}

    def read_through(self) -> tuple[str, str] | None:
        """A buffer that the graph reads though it lies in a parameter's memory, and that parameter."""
        return next(((name, owner) for name, owner in self._shared.items() if name not in self._untold), None)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Parameters and buffers by state-dict name; tied ones are the same object."""
        return {**self.parameters, **self._buffers}

    def run(
        self,
        inputs: tuple[Any, ...],
        values: dict[str, torch.Tensor],
        numbers: Numbers | None = None,
        seed: int = _RANDOM_SEED,
        kept: tuple[Any, ...] | None = None,
    ) -> dict[str, torch.Tensor]:
        """One call with parameters and buffers set to `values` (by state-dict name; others as constructed) and
        random numbers as in `numbers` (None: drawn from `seed`). Returns outputs and new states by graph value name,
        detached; what the module holds as complex numbers is given and returned as real ones, as the graph has them.
        Forward may change its inputs: it gets copies; of those that are not among `kept`, where that is given, nobody
        needs one."""
        self._install(values)
        needed = {id(leaf) for leaf in pytree.tree_leaves(inputs if kept is None else kept)}
        copied = lambda item: item.to(self._device, copy=id(item) in needed)  # noqa: E731
        placed = pytree.tree_map_only(torch.Tensor, copied, inputs)
        torch.manual_seed(seed)
        given = GivenNumbers(self._graph, numbers) if numbers else None
        unvalidated = values_unvalidated(is_traced=False)
        with torch.no_grad(), torch.device(self._device), given or nullcontext(), unvalidated:
            returned = self._module(*placed)
        if given is not None:
            given.check_all_taken()
        leaves = iter([leaf for leaf in pytree.tree_leaves(returned) if isinstance(leaf, torch.Tensor)])
        made: dict[str, torch.Tensor] = {}
        for output in self._graph.outputs:
            if output.role == OUTPUT:
                made[output.value] = next(leaves).detach()
            else:
                made[output.value] = as_real(self._module.get_buffer(output.binding).detach()).clone()
        return made

    def _install(self, values: dict[str, torch.Tensor]) -> None:
        with torch.no_grad():
            for name, buffer in self._buffers.items():  # forward may have assigned another tensor
                owner, _, leaf = name.rpartition(".")
                self._module.get_submodule(owner)._buffers[leaf] = buffer
            for name, tensor in self.tensors().items():
                if name not in self._untold:  # what is copied there would go into the parameter
                    value = values.get(name, self.constructed[name])
                    tensor.copy_(torch.view_as_complex(value.contiguous()) if tensor.is_complex() else value)
