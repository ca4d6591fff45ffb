# SPDX-License-Identifier: Apache-2.0
"""Reads a user's Python file and runs it as a module, with some of its integer constants replaced."""

from __future__ import annotations

import ast
import io
import os
import sys
import tokenize
import types

from ..failures import PROGRAM_INVALID, Failure, from_user_code, know_live_code
from .offline_models import answer_offline


def read_source(file: str) -> str:
    """The text of `file`. Raises a Failure for what is no readable, non-empty Python text."""
    if not os.path.exists(file):
        raise Failure(PROGRAM_INVALID, f"There is no file {file}.", file, "Check the path.")
    if os.path.isdir(file):
        raise Failure(PROGRAM_INVALID, f"{file} is a directory, not a Python file.", file, "Name the file inside it.")
    try:
        with open(file, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise Failure(
            PROGRAM_INVALID, f"{file} cannot be read: {error.strerror}.", file, "Check its rights."
        ) from error
    text = "" if b"\0" in data else _decoded(data, file)
    if b"\0" in data:
        raise Failure(PROGRAM_INVALID, f"{file} is not Python text.", file, "Name a .py file with a PyTorch program.")
    if not text.strip():
        raise Failure(PROGRAM_INVALID, f"{file} is empty.", file, "It needs a class Model and a function get_inputs.")
    return text


def _decoded(data: bytes, file: str) -> str:
    """As Python decodes a source: UTF-8, or what its first lines declare."""
    remedy = "Save it as UTF-8, or declare its encoding in the first line: # -*- coding: latin-1 -*-."
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except SyntaxError as error:
        raise Failure(PROGRAM_INVALID, f"{file} is not Python text: {error.msg}.", file, remedy) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{os.path.basename(file)} is not {error.encoding} text: it has the byte {data[error.start]:#04x}."
        raise Failure(PROGRAM_INVALID, message, f"{file}:{line}", remedy) from error


def parse_source(text: str, file: str) -> ast.Module:
    """The syntax tree; a syntax error is told with its line."""
    try:
        return ast.parse(text, filename=file)
    except SyntaxError as error:
        line = (error.text or "").strip()
        message = f"{os.path.basename(file)} is not valid Python: {error.msg}" + (f", at `{line}`." if line else ".")
        raise Failure(PROGRAM_INVALID, message, f"{file}:{error.lineno or 1}", "Correct the syntax.") from error
    except (ValueError, RecursionError) as error:
        raise Failure(PROGRAM_INVALID, f"{file} cannot be parsed: {error}.", file, "Correct the file.") from error


def _constants_of(statement: ast.stmt) -> list[tuple[str, ast.Constant]]:
    """The (name, value node) of `NAME = 12` or `NAME: int = 12`, and ("NAME[1]", value node) of each element of
    `NAME = [12, 34]`, of a tuple of integers and of `[12] * 3`; booleans are no integers here."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target, value = statement.target, statement.value
    else:
        return []
    if not isinstance(target, ast.Name):
        return []
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        value = value.left if isinstance(value.left, (ast.List, ast.Tuple)) else value.right
        elements = value.elts if isinstance(value, (ast.List, ast.Tuple)) else []
    elif isinstance(value, (ast.List, ast.Tuple)):
        elements = value.elts
    else:
        return [(target.id, value)] if _is_integer(value) else []  # type: ignore[list-item]
    if not all(_is_integer(element) for element in elements):
        return []
    return [(f"{target.id}[{index}]", element) for index, element in enumerate(elements)]  # type: ignore[misc]


def _is_integer(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def integer_constants(tree: ast.Module) -> dict[str, int]:
    """The module-level integer constants in their order, elements of lists as "NAME[0]": the sizes that `overrides`
    may change."""
    return {name: int(node.value) for statement in tree.body  # type: ignore[arg-type]
            for name, node in _constants_of(statement)}


def override_constants(tree: ast.Module, overrides: dict[str, int], file: str) -> None:
    """Replaces constants in place, so that everything computed from them follows. An unknown name is a Failure."""
    known = integer_constants(tree)
    for name in overrides:
        if name not in known:
            has = ", ".join(known) or "none"
            message = f"{os.path.basename(file)} has no module-level integer constant {name}; it has {has}."
            raise Failure(PROGRAM_INVALID, message, file, "Override one of those.")
    for statement in tree.body:
        for name, node in _constants_of(statement):
            node.value = int(overrides.get(name, node.value))  # type: ignore[arg-type]


def run_source(file: str, overrides: dict[str, int]) -> types.ModuleType:
    """Executes `file` under a name of its own (so `if __name__ == "__main__"` does not run). The module is findable in
    sys.modules, as dataclasses and pickling need; its folder is importable, for files beside it."""
    tree = parse_source(read_source(file), file)
    override_constants(tree, overrides, file)
    module = types.ModuleType("stitchcuda_program_" + os.path.splitext(os.path.basename(file))[0])
    module.__file__ = file
    sys.modules[module.__name__] = module
    folder = os.path.dirname(file)
    if folder not in sys.path:
        # Behind the standard library, parts of which PyTorch loads late: a random.py here is not theirs.
        installed = [index for index, path in enumerate(sys.path) if path.rstrip("/").endswith("-packages")]
        sys.path.insert(min(installed, default=len(sys.path)), folder)
    remedy = "Make the file importable: python -c 'import <file>' must succeed."
    answer_offline()
    try:
        exec(compile(tree, file, "exec"), module.__dict__)
    except (SystemExit, KeyboardInterrupt) as stop:
        failure = from_user_code(stop, "being imported", file, "Guard the call that exits by __name__ == '__main__'.")
        raise failure from stop
    except Exception as error:
        raise from_user_code(error, "being imported", file, remedy) from error
    know_live_code(*module.__dict__.get("stitchcuda_live_code", ({}, [])))
    return module
