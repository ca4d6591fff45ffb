# SPDX-License-Identifier: Apache-2.0
"""The base of a generated ModelNew: forward is the compiled program; all else is the reference class's own."""

from __future__ import annotations

import inspect
import threading
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from .contract import Contract, Refused, check_gradient, check_mode, mode_refused, tensors_of
from .runner import Runner

_RUNNERS = "_stitchcuda_runners"
_FINISHED = "_stitchcuda_finished"


class ProgramModule(nn.Module):
    """Put before the reference class among the bases. Programs are built and loaded at the first call on a device, and
    belong to the instance: copies and pickles have none and make their own. All names of ours begin with _stitchcuda,
    since the reference class may use any other."""

    _stitchcuda_contract: Contract
    _stitchcuda_reference: Any  # the reference class's forward, for its arguments' names

    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        contract = self._stitchcuda_contract
        if keywords:
            arguments = _in_order(self, arguments, keywords)
        check_mode(contract, self)
        runners, lock = _runners(self)
        with lock:
            device = _device(self, arguments)
            runner = runners.get(device)
            if runner is None:
                runner = runners[device] = Runner(contract, device)
            inputs = tensors_of(contract, arguments, len(runner.program.inputs))
            if torch.is_grad_enabled():
                check_gradient(contract, [*inputs, *self.parameters()])
            return contract.returns(runner.run(self, inputs))

    def train(self, mode: bool = True) -> ProgramModule:
        """Refused where the program would have to compute something else in that mode."""
        contract = self._stitchcuda_contract
        if self.__dict__.get(_FINISHED) and not contract.both_modes and mode != contract.modes[""]:
            raise mode_refused(contract, "", mode)
        return super().train(mode)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop(_RUNNERS, None)
        return state


def finish(module: ProgramModule) -> None:
    """To be called at the end of the constructor: the modes are those that the program was made in."""
    modes = module._stitchcuda_contract.modes
    for name, child in module.named_modules():
        child.training = modes.get(name, child.training)
    module.__dict__[_FINISHED] = True


def _runners(module: ProgramModule) -> tuple[dict[torch.device, Runner], threading.Lock]:
    found = module.__dict__.get(_RUNNERS)
    if found is None:
        found = module.__dict__[_RUNNERS] = ({}, threading.Lock())
    return found


def _device(module: ProgramModule, arguments: tuple[Any, ...]) -> torch.device:
    """Where the parameters and buffers are; where the first tensor given is, for a module without any."""
    parameter = _first_parameter(module)
    if parameter is not None:
        return parameter.device
    for group in (module.buffers(), pytree.tree_leaves(arguments)):
        for tensor in group:
            if isinstance(tensor, torch.Tensor):
                return tensor.device
    raise Refused(f"{module._stitchcuda_contract.name} was given no tensor.")


def _first_parameter(module: nn.Module) -> torch.Tensor | None:
    """As next(module.parameters()), without names and without looking for shared ones: this is asked in every call."""
    for parameter in module.__dict__["_parameters"].values():
        if parameter is not None:
            return parameter
    children = (child for child in module.__dict__["_modules"].values() if child is not None)
    return next((found for found in map(_first_parameter, children) if found is not None), None)


def _in_order(module: ProgramModule, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments by place. Those that were left out between given ones have their defaults."""
    contract = module._stitchcuda_contract
    try:
        bound = inspect.signature(module._stitchcuda_reference).bind(*arguments, **keywords)
    except TypeError as error:
        raise TypeError(f"{contract.name}: {error}") from error
    if bound.kwargs:
        bound.apply_defaults()
    by_name = [name for name in bound.kwargs if name in keywords]
    if by_name:
        raise Refused(f"{contract.name} was made without the keyword argument {by_name[0]}.")
    return bound.args
