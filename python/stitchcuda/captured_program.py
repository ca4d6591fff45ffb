# SPDX-License-Identifier: Apache-2.0
"""A live module or function that was handed to stitchcuda.optimize, with its example inputs. The folder `captured`
holds what pickle makes of them: program.pickle without its tensors, tensors.pt, and in program.json where code and
tensors belong. Copied beside them under the program's own name."""

import json
import linecache
import os
import pickle
import sys
from typing import Any

import torch
from torch.utils import _pytree as pytree


def _folder() -> str:
    """This file lies in the folder; the module that is generated from its text lies one above."""
    here = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(here, "captured")
    return inside if os.path.isfile(os.path.join(inside, "program.json")) else here


class _Unpickler(pickle.Unpickler):
    """Puts the tensors where pickle has their numbers. Under a fake mode they are made without data."""

    def __init__(self, stream: Any, folder: str, specs: list[dict[str, Any]]) -> None:
        super().__init__(stream)
        self._folder, self._specs = folder, specs
        self._made: dict[int, torch.Tensor] = {}
        self._values: dict[str, torch.Tensor] | None = None

    def persistent_load(self, number: int) -> torch.Tensor:
        if number not in self._made:
            self._made[number] = self._tensor(number, self._specs[number])
        return self._made[number]

    def _tensor(self, number: int, spec: dict[str, Any]) -> torch.Tensor:
        made = torch.empty(spec["shape"], dtype=getattr(torch, spec["dtype"]))
        if type(made) is torch.Tensor:
            made = self._value(number)
        if spec["parameter"]:
            return torch.nn.Parameter(made, spec["requires_grad"])
        return made.requires_grad_(spec["requires_grad"])

    def _value(self, number: int) -> torch.Tensor:
        if self._values is None:
            path = os.path.join(self._folder, "tensors.pt")
            self._values = torch.load(path, map_location="cpu", weights_only=True)
        return self._values[str(number)]


def _know_code(captured: dict[str, Any]) -> None:
    """Lets imports find what the program's own process found, and tracebacks the lines of cells and scripts."""
    if captured["by_value"] and captured["python"] != list(sys.version_info[:2]):
        wanted, present = (".".join(map(str, version)) for version in (captured["python"], sys.version_info[:2]))
        raise RuntimeError(f"its code was captured under Python {wanted}, and this is Python {present}")
    sys.path[:0] = [path for path in captured["path"] if path not in sys.path]
    for name, text in captured["sources"].items():
        if not os.path.isfile(name):
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)


def _load() -> tuple[dict[str, Any], dict[str, Any]]:
    folder = _folder()
    with open(os.path.join(folder, "program.json"), encoding="utf-8") as stream:
        captured = json.load(stream)
    _know_code(captured)
    with open(os.path.join(folder, "program.pickle"), "rb") as stream:
        return captured, _Unpickler(stream, folder, captured["tensors"]).load()


def _by_position(model: Any, positional: int, names: list[str]) -> Any:
    """`model` with its keyword arguments after the others, since a program's arguments have places and no names."""
    if not names:
        return model

    def split(given: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return given[:positional], dict(zip(names, given[positional:]))

    if not isinstance(model, torch.nn.Module):

        def function(*given: Any) -> Any:
            arguments, keywords = split(given)
            return model(*arguments, **keywords)

        return function
    kind = type(model)

    def forward(self: Any, *given: Any) -> Any:
        arguments, keywords = split(given)
        return kind.forward(self, *arguments, **keywords)

    model.__class__ = type(kind.__name__, (kind,), {"forward": forward, "__module__": __name__})
    return model


def keep_inputs() -> None:
    """get_inputs() gives from now on what was handed over: the program takes no mixture of its rows, as where a matrix
    with two equal rows has no inverse."""
    _thing["mixes"] = False


def _drawn_anew(leaf: Any) -> Any:
    """Rows of the example in another order, some twice. What is ordered or counted as a whole stays as it is."""
    if not _thing.get("mixes", True):
        return leaf.clone() if isinstance(leaf, torch.Tensor) else leaf
    if not isinstance(leaf, torch.Tensor) or not leaf.is_floating_point() or leaf.dim() < 2 or leaf.numel() == 0:
        return leaf.clone() if isinstance(leaf, torch.Tensor) else leaf
    return leaf[torch.randint(0, leaf.shape[0], (leaf.shape[0],))]


_captured, _thing = _load()
stitchcuda_live_code = (_captured["files"], _captured["folders"])
globals().update(_thing["names"])
model = _by_position(_thing["model"], _captured["positional"], _captured["names"])


def get_inputs() -> list[Any]:
    """Forward's arguments: drawn by the user's own function where there is one."""
    if _thing["draw"] is not None:
        drawn = _thing["draw"]()
        return list(drawn) if isinstance(drawn, (tuple, list)) else [drawn]
    return [pytree.tree_map(_drawn_anew, item) for item in _thing["inputs"]]
