# SPDX-License-Identifier: Apache-2.0
"""The user's file without its forward methods: what a solution needs to construct the same parameters, and no more."""

from __future__ import annotations

import ast
import re
import types

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode


def constructor_source(text: str, target: str, namespace: types.ModuleType, module: nn.Module) -> str:
    """`text` without forward methods, get_inputs, get_states and what only they use. The whole text where the rest
    would not construct a module with the same state dict."""
    reduced = _without_forward(text)
    return reduced if _constructs_the_same(reduced, target, namespace, module) else text


def _without_forward(text: str) -> str:
    tree = ast.parse(text)
    lines = text.splitlines()
    dropped: set[int] = set()
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            methods = [item for item in statement.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]
            forward = [item for item in methods if item.name == "forward"]
            if len(statement.body) > len(forward):
                dropped |= _lines_of(forward)
        elif isinstance(statement, ast.FunctionDef) and statement.name in ("get_inputs", "get_states"):
            dropped |= _lines_of([statement])
        elif isinstance(statement, ast.If) and "__main__" in ast.unparse(statement.test):
            dropped |= _lines_of([statement])
    kept = [line for number, line in enumerate(lines, 1) if number not in dropped]
    text = _without_unused_imports("\n".join(kept).strip("\n") + "\n")
    return re.sub(r"\n{4,}", "\n\n\n", text)


def _lines_of(statements: list) -> set[int]:
    lines: set[int] = set()
    for statement in statements:
        first = min([statement.lineno] + [mark.lineno for mark in getattr(statement, "decorator_list", [])])
        lines |= set(range(first, statement.end_lineno + 1))
    return lines


def _without_unused_imports(text: str) -> str:
    """Drops one-line imports whose name is not used any more."""
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    unused: set[int] = set()
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)) and len(statement.names) == 1:
            name = (statement.names[0].asname or statement.names[0].name).split(".")[0]
            is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            if name not in used and not is_future and name != "*":
                unused |= _lines_of([statement])
    return "\n".join(line for number, line in enumerate(text.splitlines(), 1) if number not in unused) + "\n"


def _constructs_the_same(text: str, target: str, namespace: types.ModuleType, module: nn.Module) -> bool:
    fresh = types.ModuleType("stitchcuda_constructor")
    fresh.__file__ = namespace.__file__
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):
            exec(compile(text, str(namespace.__file__), "exec"), fresh.__dict__)
            arguments = fresh.get_init_inputs() if hasattr(fresh, "get_init_inputs") else []
            made = getattr(fresh, target)
            made = made(**arguments) if isinstance(arguments, dict) else made(*arguments)
            return _signature(made) == _signature(module)
    except Exception:
        return False


def _signature(module: nn.Module) -> list[tuple[str, torch.Size, torch.dtype]]:
    return [(name, value.shape, value.dtype) for name, value in module.state_dict().items()]
