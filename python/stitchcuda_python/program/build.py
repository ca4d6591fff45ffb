# SPDX-License-Identifier: Apache-2.0
"""Builds the module and its inputs from a loaded file: KernelBench-style (`Model`, `get_inputs`, `get_init_inputs`) or
a named class, function or module instance."""

from __future__ import annotations

import inspect
import os
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from ..failures import PROGRAM_INVALID, Failure, from_user_code
from ..weights.state_dict import load_weights
from .conversion import converting_fake_parameters
from .source import run_source

MODES = ("as-is", "train", "eval")


@dataclass
class Request:
    """What a caller names: a file, maybe a target in it, a mode, other sizes. `file` is absolute."""

    file: str
    target: str | None = None
    mode: str = "as-is"
    overrides: dict[str, int] = field(default_factory=dict)
    input_shapes: list[list[int]] | None = None
    weights: str | None = None

    @staticmethod
    def from_json(arguments: dict[str, Any]) -> Request:
        """Reads the common arguments of a verb. `file.py:Name` in `file` names a target too."""
        file, target = str(arguments.get("file", "")), arguments.get("target")
        head, colon, tail = file.rpartition(":")
        if not target and colon and tail.isidentifier() and not os.path.exists(file):
            file, target = head, tail
        mode = arguments.get("mode") or "as-is"
        if mode not in MODES:
            raise Failure(PROGRAM_INVALID, f"There is no mode {mode!r}.", file, "Use as-is, train or eval.")
        shapes = arguments.get("input_shapes")
        overrides = {str(name): int(value) for name, value in (arguments.get("overrides") or {}).items()}
        return Request(os.path.abspath(file), target or None, mode, overrides, shapes, arguments.get("weights") or None)


@dataclass
class Program:
    """A module ready to be called as `module(*inputs)`. Tensors among the inputs may be nested in lists and dicts."""

    request: Request
    namespace: types.ModuleType
    module: nn.Module
    inputs: tuple[Any, ...]

    @property
    def name(self) -> str:
        return os.path.splitext(os.path.basename(self.request.file))[0]

    def input_tensors(self) -> list[torch.Tensor]:
        """The tensors among the inputs, in the order in which the exported graph lists them."""
        return [leaf for leaf in pytree.tree_leaves(self.inputs) if isinstance(leaf, torch.Tensor)]


InputMaker = Callable[[types.ModuleType, Request], tuple[Any, ...]]
Sampler = Callable[[torch.Tensor, tuple[int, ...]], torch.Tensor]  # elements of a flat tensor, in another shape


class FunctionModule(nn.Module):
    """A plain function as a module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function

    def forward(self, *inputs: Any) -> Any:
        return self._function(*inputs)


def build_program(request: Request, inputs_of: InputMaker | None = None) -> Program:
    """Loads the file, constructs the module, draws the inputs (by `inputs_of`, else with draw_inputs). Whatever the
    user's code raises becomes a Failure."""
    namespace = run_source(request.file, request.overrides)
    module = construct_module(namespace, request)
    hold_tensors_as_buffers(module)
    if request.weights is not None:
        load_weights(module, request.weights, request.file)
    if request.mode != "as-is":
        module.train(request.mode == "train")
    return Program(request, namespace, module, (inputs_of or draw_inputs)(namespace, request))


def hold_tensors_as_buffers(root: nn.Module) -> None:
    """Tensors that a module holds as plain attributes become buffers outside the state dict: forward may then assign
    them, and what it leaves in them is state like that of any other buffer."""
    for module in root.modules():
        plain = [name for name, value in module.__dict__.items() if isinstance(value, torch.Tensor)]
        for name in plain:
            module.register_buffer(name, module.__dict__.pop(name), persistent=False)


def construct_module(namespace: types.ModuleType, request: Request) -> nn.Module:
    """The module that `request.target` names, `Model` by default."""
    wanted = request.target or "Model"
    target = getattr(namespace, wanted, None)
    if target is None:
        raise _no_target(namespace, request, wanted)
    if isinstance(target, nn.Module):
        return target
    if inspect.isclass(target) and issubclass(target, nn.Module):
        arguments = _call(namespace, "get_init_inputs", request) if hasattr(namespace, "get_init_inputs") else []
        try:
            with converting_fake_parameters():
                return target(**arguments) if isinstance(arguments, dict) else target(*arguments)
        except Exception as error:
            remedy = f"Check what {wanted} is given: it is constructed as {wanted}(*get_init_inputs())."
            raise from_user_code(error, f"constructing {wanted}", request.file, remedy) from error
    if inspect.isclass(target) or not callable(target):
        message = f"{wanted} in {os.path.basename(request.file)} is neither a torch.nn.Module nor a function."
        raise Failure(PROGRAM_INVALID, message, request.file, "Derive it from torch.nn.Module, or name a function.")
    return FunctionModule(target)


def _no_target(namespace: types.ModuleType, request: Request, wanted: str) -> Failure:
    own = [name for name, thing in vars(namespace).items() if _is_candidate(namespace, name, thing)]
    base = os.path.basename(request.file)
    remedy = f"Name one of them: {base}:{own[0]}." if own else "Define a class Model(torch.nn.Module)."
    has = f" It has {', '.join(own)}." if own else ""
    return Failure(PROGRAM_INVALID, f"{base} defines no {wanted}.{has}", request.file, remedy)


def _is_candidate(namespace: types.ModuleType, name: str, thing: Any) -> bool:
    if name.startswith("_") or name in ("get_inputs", "get_init_inputs", "get_states"):
        return False
    own = getattr(thing, "__module__", None) == namespace.__name__
    return own and (inspect.isfunction(thing) or (inspect.isclass(thing) and issubclass(thing, nn.Module)))


def _call(namespace: types.ModuleType, function: str, request: Request) -> Any:
    try:
        return getattr(namespace, function)()
    except Exception as error:
        raise from_user_code(
            error, f"running {function}()", request.file, f"{function}() must run as it is."
        ) from error


def draw_inputs(namespace: types.ModuleType, request: Request) -> tuple[Any, ...]:
    """What get_inputs() returns, drawn anew from torch's default generator; at `request.input_shapes` where given."""
    base = os.path.basename(request.file)
    if not callable(getattr(namespace, "get_inputs", None)):
        message = f"{base} has no function get_inputs, so its input shapes are unknown."
        raise Failure(PROGRAM_INVALID, message, request.file, "Define get_inputs() returning a list of tensors.")
    inputs = _call(namespace, "get_inputs", request)
    if not isinstance(inputs, (list, tuple)):
        kind = "a tensor" if isinstance(inputs, torch.Tensor) else type(inputs).__name__
        message = f"get_inputs() of {base} returns {kind}, not a list of forward's arguments."
        raise Failure(PROGRAM_INVALID, message, request.file, "Return a list or tuple, also for a single tensor.")
    for number, leaf in enumerate(pytree.tree_leaves(list(inputs))):
        refuse_input(leaf, number, request.file)
    return reshaped(tuple(inputs), request)


def draw_states(namespace: types.ModuleType, request: Request, module: nn.Module) -> dict[str, torch.Tensor]:
    """What get_states() returns, drawn anew from torch's default generator: tensors by their names in the state dict
    (or of buffers outside of it) that stand in place of those of the module. Empty where the file has no such
    function."""
    if not callable(getattr(namespace, "get_states", None)):
        return {}
    states = _call(namespace, "get_states", request)
    base, remedy = os.path.basename(request.file), "Return a dict from names of buffers to tensors like them."
    if not isinstance(states, dict) or not all(isinstance(item, torch.Tensor) for item in states.values()):
        message = f"get_states() of {base} returns no dict of tensors."
        raise Failure(PROGRAM_INVALID, message, request.file, remedy)
    own = dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))
    for name, state in states.items():
        like = own.get(name)
        if like is None:
            message = f"get_states() of {base} names {name!r}, which the module has not."
            raise Failure(PROGRAM_INVALID, message, request.file, remedy)
        if state.shape != like.shape or state.dtype != like.dtype:
            message = f"get_states() of {base} gives {name} another shape or type than the module does."
            raise Failure(PROGRAM_INVALID, message, request.file, remedy)
    return {name: state.detach().clone() for name, state in states.items()}


def refuse_input(leaf: Any, number: int, file: str) -> None:
    """Raises a Failure for what PyTorch cannot export as an argument, or what has no values."""
    base, remedy = os.path.basename(file), ""
    if isinstance(leaf, torch.Tensor) and leaf.device.type == "meta":
        remedy = "Make it on the CPU: a tensor on the meta device has no values."
        message = f"Input {number} of get_inputs() of {base} is on the meta device."
    elif type(leaf).__module__ == "numpy":
        remedy = "Return torch tensors: torch.from_numpy(array)."
        message = f"Input {number} of get_inputs() of {base} is a NumPy {type(leaf).__name__}, not a tensor."
    if remedy:
        raise Failure(PROGRAM_INVALID, message, file, remedy)


def sampled(flat: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """A tensor whose elements are drawn, with replacement, from those of `flat`."""
    return flat[torch.randint(0, flat.numel(), (prod(shape),), device=flat.device)].reshape(shape)


def reshaped(inputs: tuple[Any, ...], request: Request, sample: Sampler = sampled) -> tuple[Any, ...]:
    """`inputs` with every tensor brought to the requested shape, its values sampled from the old ones, so that their
    range and distribution stay the program's own."""
    if request.input_shapes is None:
        return inputs
    leaves, structure = pytree.tree_flatten(inputs)
    shapes = list(request.input_shapes)
    tensors = sum(isinstance(leaf, torch.Tensor) for leaf in leaves)
    if tensors != len(shapes):
        message = f"{len(shapes)} input shapes are given, but get_inputs() returns {tensors} tensors."
        raise Failure(PROGRAM_INVALID, message, request.file, "Give one shape per tensor, in order.")
    return tuple(pytree.tree_unflatten([_resized(leaf, shapes, sample) for leaf in leaves], structure))


def _resized(leaf: Any, shapes: list[list[int]], sample: Sampler) -> Any:
    if not isinstance(leaf, torch.Tensor):
        return leaf
    shape = tuple(shapes.pop(0))
    if tuple(leaf.shape) == shape:
        return leaf
    if leaf.numel() == 0:
        return leaf.new_zeros(shape)
    return sample(leaf.reshape(-1), shape)
