# SPDX-License-Identifier: Apache-2.0
"""Writes a live module or function with its example inputs into a folder, as a program that the command line takes."""

from __future__ import annotations

import json
import linecache
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from .calls import Example
from .errors import ProgramError, UsageError
from .pickling import Tensors, is_local, pickled
from .sources import classes_of, code_places, named_tuples

FOLDER = "captured"
_TEXT = Path(__file__).with_name("captured_program.py")


@dataclass(frozen=True)
class Captured:
    """`program` is what to give to the command line: FILE.py:NAME."""

    name: str
    program: str
    names: dict[str, type]


def program_name(model: Any) -> str:
    """ "transformer_block" for TransformerBlock, a name for a file."""
    name = getattr(model, "__name__", None) or type(model).__name__
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    name = re.sub(r"\W+", "_", name).strip("_")
    return name if name and not name[0].isdigit() else f"program_{name}".rstrip("_")


def refuse_others(model: Any) -> None:
    """Raises for what is neither a module nor a function."""
    if isinstance(model, type) and issubclass(model, nn.Module):
        remedy = f"Give an instance: stitchcuda.optimize({model.__name__}(...), ...)."
        raise UsageError(f"optimize() was given the class {model.__name__}", "", remedy, "usage")
    if isinstance(model, torch.jit.ScriptModule):
        remedy = "Give the module that it was made from."
        raise ProgramError("a TorchScript module cannot be exported", "", remedy, "program_invalid")
    if not isinstance(model, nn.Module) and not callable(model):
        remedy = "Give a torch.nn.Module or a function of tensors."
        raise UsageError(f"optimize() was given a {type(model).__name__}", "", remedy, "usage")


def capture(model: Any, example: Example, draw: Callable[[], Any] | None, out: str) -> Captured:
    """Writes OUT/captured. `draw` makes new inputs at each call; None: rows of the example in another order."""
    name, folder = program_name(model), os.path.join(out, FOLDER)
    tensors = Tensors()
    names = named_tuples(model)
    inputs = [None if draw is not None else item for item in example.values]
    thing = {"model": model, "inputs": inputs, "draw": draw, "names": names}
    data = pickled(thing, tensors, model)
    files, folders = code_places(model, draw)
    description = {
        "schema": "stitchcuda.captured/1",
        "python": list(sys.version_info[:2]),
        "torch": torch.__version__,
        "by_value": any(is_local(kind) for kind in classes_of(model)) or b"cloudpickle" in data,
        "positional": example.positional,
        "names": list(example.names),
        "path": [os.path.abspath(path) for path in sys.path if os.path.isdir(path or ".")],
        "files": files,
        "folders": folders,
        "sources": {file: "".join(linecache.getlines(file)) for file in files},
        "tensors": tensors.specs(),
    }
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    torch.save(tensors.by_number(), os.path.join(folder, "tensors.pt"))
    Path(folder, "program.pickle").write_bytes(data)
    Path(folder, "program.json").write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    file = os.path.join(folder, f"{name}.py")
    shutil.copyfile(_TEXT, file)
    return Captured(name, f"{file}:model", names)
