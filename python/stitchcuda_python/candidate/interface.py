# SPDX-License-Identifier: Apache-2.0
"""What a ModelNew must take, hold and return to stand for a program: told as plain values, for a process that never
sees the program itself."""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from ..failures import from_user_code
from ..graph.export import Exported
from ..graph.flops import call_bytes, call_work, is_product, short_name
from ..graph.functional import CONSTANT, INPUT, OUTPUT, PARAMETER, RANDOM, STATE, FunctionalProgram, Returned
from ..graph.supported import DTYPE_NAMES
from .storage import storage_of
from .values import encoded


def interface_of(exported: Exported, weights_file: str) -> dict[str, Any]:
    """The interface of an imported program."""
    program, graph = exported.program, exported.graph
    return {
        "program": _description(program.name, graph),
        "init": _constructor_arguments(program, weights_file),
        "takes": encoded(_numbered(program.inputs), weights_file),
        "returns": encoded(graph.returned, weights_file),
        "state": _state(program.module),
        "parameters": [value.binding for value in graph.of_role(PARAMETER, CONSTANT)],
        "states": [value.binding for value in graph.of_role(STATE)],
        "states_out": [output.binding for output in graph.outputs if output.role == STATE],
        "training": None if program.request.mode == "as-is" else program.module.training,
        "is_random": bool(graph.of_role(RANDOM)),
        "reference_class": _reference_class(program),
        "work": _work(graph),
        "extension_build": _extension_build(),
        "interpreter": sys.executable or "",
        "python_folders": _python_folders(os.path.dirname(program.request.file)),
        "storage": storage_of(program),  # the last: forward may change the module
    }


def _extension_build() -> dict[str, Any]:
    """What an extension of this PyTorch is compiled and linked with."""
    root = os.path.dirname(os.path.abspath(torch.__file__))
    include = os.path.join(root, "include")
    return {
        "includes": [include, os.path.join(include, "torch", "csrc", "api", "include"), sysconfig.get_path("include")],
        "libraries": os.path.join(root, "lib"),
        "identity": f"PyTorch {torch.__version__}, Python {sys.version}",
        "has_cxx11_strings": bool(torch.compiled_with_cxx11_abi()),
    }


def _python_folders(program_folder: str) -> list[str]:
    """Where this interpreter and its packages lie: another process of it needs no more."""
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folders = {sys.prefix, sys.base_prefix, os.path.dirname(os.path.realpath(sys.executable)), *sys.path}
    folders |= {os.path.realpath(folder) for folder in folders}
    found = {os.path.abspath(folder) for folder in folders if os.path.isabs(folder) and os.path.exists(folder)}
    return sorted(found - {program_folder, os.path.realpath(program_folder), own, "/"})


def _reference_class(program: Any) -> str:
    """The class that another process can construct the program from; empty for a function or a ready module."""
    name = program.request.target or "Model"
    found = getattr(program.namespace, name, None)
    return name if isinstance(found, type) and issubclass(found, nn.Module) else ""


def _constructor_arguments(program: Any, file: str) -> dict[str, Any]:
    make = getattr(program.namespace, "get_init_inputs", None)
    if make is None or isinstance(getattr(program.namespace, program.request.target or "Model"), nn.Module):
        return encoded([], file)
    try:
        return encoded(make(), file)
    except Exception as error:
        raise from_user_code(error, "running get_init_inputs()", file, "It must run as it is.") from error


def _numbered(inputs: tuple[Any, ...]) -> Any:
    leaves, structure = pytree.tree_flatten(inputs)
    tensors = iter(range(len(leaves)))
    leaves = [Returned(next(tensors)) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    return pytree.tree_unflatten(leaves, structure)


def _description(name: str, graph: FunctionalProgram) -> dict[str, Any]:
    """The form of the protocol's program descriptions."""
    table = graph.results()

    def tensor(value: str, role: str, binding: str) -> dict[str, Any]:
        dtype, shape = table[value]
        return {
            "name": binding,
            "role": role,
            "dtype": DTYPE_NAMES[dtype],
            "shape": list(shape),
            "run_time_axes": [0] * len(shape),
            "min_extents": list(shape),
            "max_extents": list(shape),
            "is_optional": False,
            "alias_of": -1,
        }

    held = lambda role, *roles: [tensor(v.name, role, v.binding) for v in graph.of_role(*roles)]  # noqa: E731
    made = lambda role: [tensor(o.value, role, o.binding) for o in graph.outputs if o.role == role]  # noqa: E731
    return {
        "name": name,
        "prepared_bytes": 0,
        "inputs": held("input", INPUT),
        "parameters": held("parameter", PARAMETER) + held("constant", CONSTANT),
        "states_in": held("state", STATE),
        "states_out": made(STATE),
        "outputs": made(OUTPUT),
    }


def _state(module: nn.Module) -> list[dict[str, Any]]:
    """Every tensor that the module holds. `same_as` names the first key of a tensor that has several."""
    first: dict[int, str] = {}
    listed = []
    saved = set(module.state_dict().keys())
    for kind, items in (("parameter", module.named_parameters), ("buffer", module.named_buffers)):
        for key, tensor in items(remove_duplicate=False):
            same_as = first.setdefault(id(tensor), key)
            listed.append(
                {
                    "key": key,
                    "kind": kind,
                    "dtype": DTYPE_NAMES.get(tensor.dtype, str(tensor.dtype)),
                    "shape": list(tensor.shape),
                    "is_saved": key in saved,
                    "same_as": None if same_as == key else same_as,
                }
            )
    return listed


def _work(graph: FunctionalProgram) -> list[dict[str, Any]]:
    """What each call of the program has to do, views left out."""
    table = graph.results()
    return [
        {
            "operator": short_name(call.target),
            "flops": flops,
            "bytes": call_bytes(call, table),
            "is_product": is_product(call),
            "is_16_bit": any(table[result.name][0].itemsize == 2 for result in call.results if result.name in table),
        }
        for call in graph.calls
        if (flops := call_work(call, table)) > 0
    ]
