# SPDX-License-Identifier: Apache-2.0
"""Python text as a judge may read it: no comment, no string, no name that its author chose."""

from __future__ import annotations

import ast
import builtins

MAX_CHARACTERS = 60_000
# Modules whose names say what runs: they stay, and so do the attributes that are reached through them.
KNOWN = {"torch", "nn", "F", "functional", "numpy", "np", "ctypes", "math", "os", "sys", "subprocess", "load_inline"}
KEPT = (
    KNOWN | set(dir(builtins)) | {"self", "forward", "ModelNew", "Module", "__init__", "super", "cpp", "triton", "tl"}
)


class Neutral(ast.NodeTransformer):
    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def _renamed(self, name: str) -> str:
        if name in KEPT:
            return name
        return self.names.setdefault(name, f"n{len(self.names) + 1}")

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.copy_location(ast.Constant(""), node) if isinstance(node.value, (str, bytes)) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return ast.copy_location(ast.Constant(""), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._renamed(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self._renamed(node.arg)
        node.annotation = None
        return node

    def _definition(self, node):
        node.name = self._renamed(node.name)
        self.generic_visit(node)
        is_prose = [isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in node.body]
        node.body = [each for each, prose in zip(node.body, is_prose) if not prose] or [ast.Pass()]
        return node

    visit_FunctionDef = _definition
    visit_AsyncFunctionDef = _definition
    visit_ClassDef = _definition


def neutral_python(files: dict[str, str]) -> str:
    """All files, one after another; a file that is no Python is left out and said to be."""
    neutral = Neutral()
    parts = []
    for number, text in enumerate(files.values(), 1):
        try:
            tree = neutral.visit(ast.parse(text))
            parts.append(f"# file {number}\n{ast.unparse(ast.fix_missing_locations(tree))}")
        except (SyntaxError, ValueError, RecursionError):
            parts.append(f"# file {number} is no Python")
    whole = "\n".join(parts)
    return whole if len(whole) <= MAX_CHARACTERS else whole[:MAX_CHARACTERS] + "\n# cut here: the text is longer"
