# SPDX-License-Identifier: Apache-2.0
"""The candidate's ModelNew: constructed from plain values, its tensors found by their names in the state dict."""

from __future__ import annotations

import os
import sys
import traceback
import types
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import nn

from .channel import Fault
from .extensions import NotBuilt
from .host_device import HostDevice
from .raised import Provenance
from .types import data_pointer, described, dtype_name, is_contiguous, is_plain, shape_of
from .values import decoded

_parameters = nn.Module.named_parameters
_buffers = nn.Module.named_buffers
_train = nn.Module.train


class CandidateModule:
    """`interface` is what the supervisor says of the program that this module stands for; `around` is entered while
    the candidate's code runs."""

    def __init__(self, file: str, interface: dict[str, Any], device: HostDevice,
                 around: AbstractContextManager[Any] | None = None) -> None:  # fmt: skip
        self.file, self.interface, self.device = file, interface, device
        self.name = str(interface.get("class", "ModelNew"))
        self._around = around or nullcontext()
        self._provenance = Provenance(file, device.name == "cpu")
        self._has_run = False
        self.module = self._construct(self._run_file())
        if interface["training"] is not None:
            _train(self.module, bool(interface["training"]))
        self.tensors = self._find_tensors()
        self._forward = torch.compile(self.module) if interface.get("compiles") else self.module

    def _run_file(self) -> types.ModuleType:
        module = types.ModuleType("model_new")
        module.__file__ = self.file
        sys.modules["model_new"] = module
        sys.path.append(os.path.dirname(self.file))
        with open(self.file, "rb") as stream:
            text = stream.read()
        with self._told("being imported"), self._around:
            exec(compile(text, self.file, "exec"), module.__dict__)
        return module

    def _construct(self, namespace: types.ModuleType) -> nn.Module:
        kind = namespace.__dict__.get(self.name)
        if not isinstance(kind, type) or not issubclass(kind, nn.Module):
            raise Fault(f"{os.path.basename(self.file)} defines no class {self.name}(torch.nn.Module)")
        arguments = decoded(self.interface["init"], [])
        with self._told(f"constructing {self.name}"), torch.no_grad(), self._around:
            made = kind(**arguments) if isinstance(arguments, dict) else kind(*arguments)
            if not isinstance(made, nn.Module):
                raise Fault(f"{self.name}(...) makes no torch.nn.Module")
            self.device.adopt(made)
        return made

    def _told(self, doing: str) -> told:
        return told(doing, self.file, self.device, self._provenance, self._has_run)

    def _find_tensors(self) -> dict[str, torch.Tensor]:
        """By state dict key. Plain tensors that the reference holds as attributes are taken where they are there."""
        own = dict(_parameters(self.module, remove_duplicate=False)) | dict(
            _buffers(self.module, remove_duplicate=False)
        )
        saved = {entry["key"]: entry for entry in self.interface["state"] if entry["is_saved"]}
        missing = [key for key in saved if key not in own]
        listed = [
            key for key in own if key not in {entry["key"] for entry in self.interface["state"]} and self._saves(key)
        ]
        if missing or listed:
            parts = [f"lacks {_some(missing)}"] * bool(missing) + [f"has {_some(listed)} besides"] * bool(listed)
            raise Fault(f"{self.name}'s state dict {' and '.join(parts)}: it must have the keys of the reference's")
        found = {}
        for entry in self.interface["state"]:
            tensor = own[entry["key"]] if entry["key"] in own else _attribute(self.module, entry["key"])
            fits = is_plain(tensor) and described(dtype_name(tensor), shape_of(tensor)) == described(
                entry["dtype"], entry["shape"]
            )
            if not fits and entry["is_saved"]:
                wanted = described(entry["dtype"], entry["shape"])
                raise Fault(f"{self.name}'s {entry['key']} is no tensor {wanted}, as the reference's is")
            if fits:
                if not is_contiguous(tensor):
                    raise Fault(
                        f"{self.name}'s {entry['key']} is not contiguous: its values cannot be given", "unsupported"
                    )
                found[entry["key"]] = tensor
        return found

    def _saves(self, key: str) -> bool:
        """Whether the tensor is part of the state dict: a buffer may be outside of it."""
        path, _, name = key.rpartition(".")
        owner = self.module
        for part in path.split(".") if path else []:
            owner = owner._modules[part]
        return name not in owner._non_persistent_buffers_set

    def places(self, binding: str) -> list[torch.Tensor]:
        """The tensors that a parameter or state of the program lives in: several where ModelNew does not tie what the
        reference ties."""
        keys = [entry["key"] for entry in self.interface["state"] if binding in (entry["key"], entry["same_as"])]
        first = {entry["key"]: entry["same_as"] or entry["key"] for entry in self.interface["state"]}
        group = {first[key] for key in keys}
        tensors = [self.tensors[key] for key in self.tensors if first[key] in group]
        return list({data_pointer(tensor): tensor for tensor in tensors}.values())

    def extents(self) -> list[tuple[int, int]]:
        """Address and bytes of every parameter and state."""
        return [(address, size) for _, address, size in self.named_extents()]

    def named_extents(self) -> list[tuple[str, int, int]]:
        """The same with their names."""
        return [
            (name, data_pointer(tensor), tensor.numel() * tensor.element_size())
            for name, tensor in self.tensors.items()
        ]

    def call(self, arguments: Any) -> Any:
        """forward. Raises a Fault with the candidate's line for whatever it raises."""
        with self._told("running forward"), torch.no_grad(), self._around:
            result = self._forward(*arguments)
        self._has_run = True
        return result


def _attribute(module: Any, key: str) -> Any:
    for part in key.split("."):
        module = getattr(module, part, None)
    return module


def _some(keys: list[str]) -> str:
    return ", ".join(keys[:4]) + (f" and {len(keys) - 4} more" if len(keys) > 4 else "")


class told:  # noqa: N801 - reads as a phrase
    """What the candidate raises becomes a Fault that names its line. Its words are quoted and decide nothing: that the
    device lacks something (`has_run`: it did not when forward ran before), or failed, is found out otherwise."""

    def __init__(self, doing: str, file: str, device: HostDevice, provenance: Provenance,
                 has_run: bool = False) -> None:  # fmt: skip
        self._doing, self._file, self._device = doing, file, device
        self._provenance, self._has_run = provenance, has_run

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None or (isinstance(error, (Fault, NotBuilt)) and self._provenance.is_ours(trace)):
            return
        folder = os.path.dirname(self._file)
        lines = [
            f"{os.path.basename(f.filename)}:{f.lineno}"
            for f in traceback.extract_tb(trace)
            if f.filename.startswith(folder)
        ]
        place = f" at {lines[-1]}" if lines else ""
        text = " ".join(str(error).split())[:500]
        if isinstance(error, MemoryError) and self._device.name == "cpu" and not text:  # as ctypes raises it
            text = "no memory is left, or none for code: C cannot call Python here (ctypes.CFUNCTYPE)"
        message = f"{self._doing}{place} raised {getattr(kind, '__name__', 'something')}: {text}"
        raise Fault(message, self._location(error, trace)) from None

    def _location(self, error: BaseException, trace: Any) -> str:
        if not self._has_run and self._provenance.needs_a_gpu(error, trace):
            return "unsupported"
        return "device" if self._device.has_failed() else ""
