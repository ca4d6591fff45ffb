# SPDX-License-Identifier: Apache-2.0
"""Which code a live module consists of: its classes, the scripts and notebook cells they were written in."""

from __future__ import annotations

import os
import sysconfig
import types
from collections.abc import Iterable, Iterator
from typing import Any

from torch import nn

from .pickling import is_local

_INSTALLED = ("site-packages", "dist-packages", sysconfig.get_path("stdlib") + os.sep)


def classes_of(model: Any) -> list[type]:
    """The classes of all submodules, bases included, less PyTorch's own."""
    modules = model.modules() if isinstance(model, nn.Module) else []
    kinds = {kind: None for module in modules for kind in type(module).__mro__}
    return [kind for kind in kinds if kind is not object and not kind.__module__.startswith("torch.")]


def functions_of(model: Any) -> Iterator[types.FunctionType]:
    """The methods of those classes, or the function itself."""
    if isinstance(model, types.FunctionType):
        yield model
    for kind in classes_of(model):
        for thing in vars(kind).values():
            thing = getattr(thing, "__func__", getattr(thing, "fget", thing))
            if isinstance(thing, types.FunctionType):
                yield thing


def code_places(*models: Any) -> tuple[dict[str, str], list[str]]:
    """The files that code without an importable module was compiled from, each with the name to show (a notebook's
    cells are files too), and the folders of the other code that is no installed package."""
    files: dict[str, str] = {}
    folders: dict[str, None] = {}
    for function in _with_used(function for model in models for function in functions_of(model)):
        file = function.__code__.co_filename
        if is_local(function) or function.__globals__.get("__name__") == "__main__":
            files[file] = _shown(file)
        elif not any(part in file for part in _INSTALLED) and os.path.isfile(file):
            folders[os.path.dirname(os.path.abspath(file))] = None
    return files, list(folders)


def _with_used(functions: Iterable[types.FunctionType]) -> Iterator[types.FunctionType]:
    """The functions, and those that they name, of files that are no installed package."""
    todo, seen = list(functions), set()
    while todo:
        function = todo.pop()
        if id(function) in seen or any(part in function.__code__.co_filename for part in _INSTALLED):
            continue
        seen.add(id(function))
        yield function
        used = (function.__globals__.get(name) for name in function.__code__.co_names)
        todo += [thing for thing in used if isinstance(thing, types.FunctionType)]


def _shown(file: str) -> str:
    """ "cell 3" for a notebook's third input."""
    try:
        from IPython import get_ipython

        number = get_ipython().compile._filename_map.get(file)
    except (ImportError, AttributeError):
        number = None
    return file if number is None else f"In[{number}]"


def named_tuples(model: Any) -> dict[str, type]:
    """The named tuples that the code could return, by the name under which its file has them."""
    found: dict[str, type] = {}
    for function in functions_of(model):
        for name, thing in function.__globals__.items():
            if isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
                if thing.__name__ == name and name in function.__code__.co_names:
                    found[name] = thing
    return found
