# SPDX-License-Identifier: Apache-2.0
"""Loads a checkpoint into a module: strictly, and without running anything that the file may hold."""

from __future__ import annotations

import os
import pickle
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import unset_fake_temporarily

from ..failures import PROGRAM_INVALID, Failure
from .safetensors_reader import read_safetensors

_PICKLES = (".pt", ".pth", ".bin")
_WRAPPERS = ("state_dict", "model_state_dict", "model")
# What PyTorch's restricted unpickler says of a file that names classes or functions.
_UNSAFE = ("Unsupported global", "Unsupported class", "allowed global", "unrecognized function")
_NAMED = 4  # keys that a sentence lists


def load_weights(module: nn.Module, path: str, file: str) -> None:
    """Puts the state dict of `path` into `module`. Every key must be there, fit, and be known. Raises a Failure."""
    with unset_fake_temporarily():
        state = read_state_dict(path)
    if not module.state_dict():
        message = f"{os.path.basename(file)} makes a module without parameters or buffers; {path} cannot belong to it."
        raise Failure(PROGRAM_INVALID, message, path, "Leave --weights out.")
    try:
        with torch.no_grad():
            result = module.load_state_dict(state, strict=False)
    except RuntimeError as error:
        raise _misfit(module, state, path, error) from error
    if result.missing_keys or result.unexpected_keys:
        raise _wrong_keys(result.missing_keys, result.unexpected_keys, path)


def read_state_dict(path: str) -> dict[str, torch.Tensor]:
    """The tensors of a .safetensors, .pt or .pth file by name. Pickles are read with weights_only=True."""
    if not os.path.isfile(path):
        raise Failure(PROGRAM_INVALID, f"There is no file {path} to read weights from.", path, "Check --weights.")
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".safetensors":
        return read_safetensors(path)
    if suffix not in _PICKLES:
        message = f"{path} is no checkpoint: its name ends neither in .safetensors nor in {', '.join(_PICKLES)}."
        raise Failure(PROGRAM_INVALID, message, path, "Save it with torch.save(model.state_dict(), 'weights.pt').")
    return _tensors_of(_read_pickle(path), path)


def _read_pickle(path: str) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        if any(mark in str(error) for mark in _UNSAFE):
            message = f"{path} holds more than tensors, and reading it could run code; it was not read."
            remedy = "Save the state dict alone: torch.save(model.state_dict(), 'weights.pt')."
            raise Failure(PROGRAM_INVALID, message, path, remedy, str(error)[-1000:]) from error
        raise _damaged(path, error) from error
    except (RuntimeError, EOFError, OSError, ValueError, KeyError, IndexError, AttributeError, TypeError) as error:
        raise _damaged(path, error) from error


def _damaged(path: str, error: Exception) -> Failure:
    message = f"{path} is damaged, or was not written by torch.save."
    return Failure(PROGRAM_INVALID, message, path, "Copy or save it again.", str(error)[-1000:])


def _tensors_of(loaded: Any, path: str) -> dict[str, torch.Tensor]:
    """A state dict, or the one inside what a training script saves."""
    if isinstance(loaded, dict):
        wrappers = [loaded[name] for name in _WRAPPERS if isinstance(loaded.get(name), dict)]
        for state in (loaded, *wrappers):
            if state and all(isinstance(value, torch.Tensor) and isinstance(key, str) for key, value in state.items()):
                return dict(state)
    kind = type(loaded).__name__
    message = f"{path} holds a {kind}, not a state dict of tensors by name."
    raise Failure(PROGRAM_INVALID, message, path, "Save it with torch.save(model.state_dict(), 'weights.pt').")


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _wrong_keys(missing: list[str], unexpected: list[str], path: str) -> Failure:
    parts = []
    if missing:
        parts.append(f"lacks {_listed(missing)}, which the module has")
    if unexpected:
        parts.append(f"has {_listed(unexpected)}, which the module lacks")
    message = f"{path} is not of this module: it {', and it '.join(parts)}."
    return Failure(PROGRAM_INVALID, message, path, "Give the state dict of this very module.")


def _misfit(module: nn.Module, state: dict[str, torch.Tensor], path: str, error: Exception) -> Failure:
    own = module.state_dict()
    wrong = [
        f"{name} {tuple(value.shape)} where the module has {tuple(own[name].shape)}"
        for name, value in state.items()
        if name in own and own[name].shape != value.shape
    ]
    message = f"{path} does not fit: {_listed(wrong)}." if wrong else f"{path} cannot be loaded: {error}."
    return Failure(PROGRAM_INVALID, message, path, "Give the state dict of a module of this size.", str(error)[-1000:])
