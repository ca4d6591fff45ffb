# SPDX-License-Identifier: Apache-2.0
"""Pickles a live module without its tensors, and says by name what cannot be handed to another process."""

from __future__ import annotations

import io
import pickle
import types
from typing import Any

import torch
from torch import nn

from .errors import MissingEnvironment, ProgramError

try:
    import cloudpickle
except ImportError:  # classes of importable files need none
    cloudpickle = None

_WITHOUT_SHAPE = (nn.UninitializedParameter, nn.UninitializedBuffer)
_PLAIN = (torch.Tensor, nn.Parameter, getattr(nn, "Buffer", nn.Parameter))


class Tensors:
    """The tensors of a module in the order in which pickle meets them; a tied one is one tensor."""

    def __init__(self) -> None:
        self.values: list[torch.Tensor] = []
        self._numbers: dict[int, int] = {}

    def number(self, tensor: torch.Tensor) -> int:
        if id(tensor) not in self._numbers:
            _refuse_special(tensor)
            self._numbers[id(tensor)] = len(self.values)
            self.values.append(tensor)
        return self._numbers[id(tensor)]

    def specs(self) -> list[dict[str, Any]]:
        """What is needed to make them without their values."""
        return [
            {
                "dtype": str(tensor.dtype).removeprefix("torch."),
                "shape": list(tensor.shape),
                "parameter": isinstance(tensor, nn.Parameter),
                "requires_grad": tensor.requires_grad,
            }
            for tensor in self.values
        ]

    def by_number(self) -> dict[str, torch.Tensor]:
        return {str(number): tensor.detach().cpu().clone() for number, tensor in enumerate(self.values)}


def _refuse_special(tensor: torch.Tensor) -> None:
    kind = type(tensor).__name__
    remedy = "Hand over a module whose parameters and buffers are ordinary dense tensors with values."
    if isinstance(tensor, _WITHOUT_SHAPE):
        remedy = "Call the module once, so that its lazy layers learn their sizes."
        raise ProgramError("the module has a parameter without a shape", "", remedy, "program_invalid")
    if type(tensor) not in _PLAIN or tensor.layout is not torch.strided or tensor.is_quantized:
        what = kind if type(tensor) not in _PLAIN else "quantised tensor" if tensor.is_quantized else "sparse tensor"
        raise ProgramError(f"the module holds a {what}, which is not supported", "", remedy, "program_invalid")
    if tensor.device.type == "meta":
        raise ProgramError("the module holds tensors on the meta device", "", remedy, "program_invalid")


class _ByReference(pickle.Pickler):
    """Without cloudpickle: refuses what only this process has, instead of naming what no other can find."""

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, (type, types.FunctionType)) and is_local(thing):
            where = "a function" if "<" in thing.__qualname__ else thing.__module__
            raise MissingEnvironment(
                f"{thing.__qualname__} is defined in {where}, where no other process can import it from",
                "",
                "run `pip install cloudpickle`, or move it into a file of its own",
                "environment",
            )
        return NotImplemented


_Base: Any = _ByReference if cloudpickle is None else cloudpickle.Pickler


class _Pickler(_Base):  # type: ignore[misc]
    def __init__(self, stream: io.BytesIO, tensors: Tensors) -> None:
        super().__init__(stream, protocol=4)
        self._tensors = tensors

    def persistent_id(self, thing: Any) -> int | None:
        return self._tensors.number(thing) if isinstance(thing, torch.Tensor) else None


def is_local(thing: Any) -> bool:
    """Whether a class or function cannot be imported by another process: of a script, a notebook or a function."""
    module = getattr(thing, "__module__", None)
    return module in ("__main__", None) or "<" in getattr(thing, "__qualname__", "")


def pickled(thing: Any, tensors: Tensors, model: Any) -> bytes:
    """`thing` as bytes, its tensors in `tensors`. `model` is where a culprit is looked for."""
    stream = io.BytesIO()
    try:
        _Pickler(stream, tensors).dump(thing)
    except (ProgramError, MissingEnvironment):
        raise
    except Exception as error:  # whatever a __getstate__ or __reduce__ raises
        place = culprit(model)
        sentence = f"{place} cannot be handed to another process, where the references run: {_line(error)}"
        remedy = "Remove it from the module, or give the class a __getstate__ that leaves it out."
        raise ProgramError(sentence, "", remedy, "program_invalid") from error
    return stream.getvalue()


def culprit(model: Any) -> str:
    """The first attribute of a submodule that does not pickle alone: "Net.block.lock (a lock)"."""
    name = getattr(model, "__name__", type(model).__name__)
    if not isinstance(model, nn.Module):
        return name
    for path, module in model.named_modules():
        for attribute, value in module.__dict__.items():
            if attribute not in ("_modules", "_parameters", "_buffers") and not _pickles(value):
                return ".".join(filter(None, (name, path, attribute))) + f" (a {type(value).__name__})"
    return name


def _pickles(value: Any) -> bool:
    try:
        _Pickler(io.BytesIO(), Tensors()).dump(value)
    except Exception:
        return False
    return True


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
