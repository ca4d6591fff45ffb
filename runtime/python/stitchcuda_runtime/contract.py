# SPDX-License-Identifier: Apache-2.0
"""What a generated module was made for, and the sentences for calls that are something else."""

from __future__ import annotations

import base64
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from .program import TensorSpec


class Refused(RuntimeError):
    """A module was asked for something that it was not made for; the message says what, and what to do."""


@dataclass(frozen=True)
class Contract:
    """`takes` and `returns` build forward's arguments and result from a list of tensors. `modes` is each submodule's
    training flag at import. `constants` are tensors that forward makes of literals: {name: (dtype, shape, base64)}."""

    name: str
    folder: str
    takes: Callable[[Sequence[Any]], tuple[Any, ...]]
    returns: Callable[[Sequence[torch.Tensor]], Any]
    modes: dict[str, bool]
    both_modes: bool
    random: bool
    constants: dict[str, tuple[str, tuple[int, ...], str]] = field(default_factory=dict)

    def constant(self, name: str, device: torch.device) -> torch.Tensor:
        dtype, shape, text = self.constants[name]
        data = bytearray(base64.b64decode(text))
        kind = getattr(torch, dtype)
        flat = torch.frombuffer(data, dtype=kind) if data else torch.empty(0, dtype=kind)
        return flat.reshape(shape).to(device)


class _Slot:
    """Stands for a tensor where only the structure counts."""


def tensors_of(contract: Contract, arguments: tuple[Any, ...], count: int) -> list[torch.Tensor]:
    """The tensors among forward's arguments, in order. Raises Refused where anything else differs from what the
    program was made for."""
    if len(arguments) == count and all(isinstance(item, torch.Tensor) for item in arguments):
        return list(arguments)
    slots = [_Slot() for _ in range(count)]
    wanted, structure = pytree.tree_flatten(contract.takes(slots))
    given, shape = pytree.tree_flatten(arguments)
    if shape != structure:
        raise Refused(f"{contract.name} takes arguments of the structure {structure}; it was given {shape}.")
    for value, made_for in zip(given, wanted):
        if isinstance(made_for, _Slot) != isinstance(value, torch.Tensor):
            raise Refused(f"{contract.name} takes a tensor where it was given {value!r}, or the other way round.")
        if not isinstance(made_for, _Slot) and not (type(value) is type(made_for) and value == made_for):
            raise Refused(f"{contract.name} was made for the argument {made_for!r}; it was given {value!r}.")
    return [value for value, made_for in zip(given, wanted) if isinstance(made_for, _Slot)]


def check_tensor(name: str, what: str, tensor: torch.Tensor, spec: TensorSpec, device: torch.device) -> None:
    """Raises Refused unless `tensor` has the shape, the type and the device that `spec` and `device` ask for."""
    if tensor.dtype is not spec.dtype:
        raise Refused(f"{name} takes {what} {spec.name} as {spec.dtype}; it was given {tensor.dtype}.")
    if tensor.device != device:
        raise Refused(f"{name} runs on {device}, where its parameters are; {what} {spec.name} is on {tensor.device}.")
    shape = tuple(tensor.shape)
    if shape == spec.shape:
        return
    if len(shape) != len(spec.shape) or not all(
        least <= extent <= most for least, extent, most in zip(spec.minimum, shape, spec.maximum)
    ):
        raise Refused(f"{name} was compiled for {what} {spec.name} of shape {_accepted(spec)}; it was given {shape}.")


def _accepted(spec: TensorSpec) -> str:
    extents = zip(spec.minimum, spec.shape, spec.maximum)
    texts = [str(extent) if least == most else f"{least}..{most}" for least, extent, most in extents]
    return "(" + ", ".join(texts) + ("," if len(texts) == 1 else "") + ")"


def check_mode(contract: Contract, module: nn.Module) -> None:
    """Raises Refused where a submodule's training flag is not what the program was made with."""
    if contract.both_modes:
        return
    for name, child in module.named_modules():
        if child.training != contract.modes.get(name, child.training):
            raise mode_refused(contract, name, child.training)


def mode_refused(contract: Contract, name: str, training: bool) -> Refused:
    modes = ("eval", "train")
    where = f"{contract.name}.{name}" if name else contract.name
    return Refused(
        f"{where} was compiled in {modes[not training]} mode and computes something else in {modes[training]} mode. "
        f"Run stitchcuda with --{modes[training]} for a module in that mode."
    )


def check_gradient(contract: Contract, tensors: list[torch.Tensor]) -> None:
    """To be called in grad mode. Raises Refused where autograd would need a gradient of what these tensors make."""
    if any(tensor.requires_grad for tensor in tensors):
        raise Refused(
            f"{contract.name} computes the forward pass only, and autograd would need its gradient here: call it "
            "under torch.no_grad() or torch.inference_mode(), or after requires_grad_(False)."
        )


def check_constructor(kind: type, given: tuple[tuple, dict], made_for: Callable[[], Any] | None) -> None:
    """Raises Refused unless the constructor's arguments are those of get_init_inputs(). Tensors are compared by shape:
    they may be drawn anew each time."""
    with torch.random.fork_rng(devices=[]):  # what get_init_inputs draws must not change what the constructor draws
        expected = made_for() if made_for is not None else []
    keywords = expected if isinstance(expected, dict) else {}
    try:
        signature = inspect.signature(kind.__init__)
        got = signature.bind(None, *given[0], **given[1])
        want = signature.bind(None, *([] if keywords else expected), **keywords)
    except TypeError as error:
        raise Refused(f"{kind.__name__} cannot be constructed so: {error}.") from error
    got.apply_defaults()
    want.apply_defaults()
    for name, value in want.arguments.items():
        if not _same(got.arguments.get(name), value):
            raise Refused(
                f"{kind.__name__} was compiled with {name} = {value!r}, as get_init_inputs() has it; it was given "
                f"{got.arguments.get(name)!r}. Run stitchcuda on a file with other arguments."
            )


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
        both = isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)
        return both and left.shape == right.shape
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(_same(a, b) for a, b in zip(left, right))
    return left is right or bool(left == right) or repr(left) == repr(right)
