# SPDX-License-Identifier: Apache-2.0
"""A program's text as a bag of subtrees in which nothing stands that a copy would change: names, numbers, comments,
the order of statements. Two texts are as alike as the share of subtrees that they have in common."""

from __future__ import annotations

import ast
import hashlib

# What only says how large the inputs are.
_OUTSIDE = {"get_inputs", "get_init_inputs", "get_states"}
_ROOTS = {"torch", "nn", "F", "functional", "math"}


def subtrees(tree: ast.Module) -> list[int]:
    """Digests (48 bits) of all subtrees of two nodes and more of classes and functions, sorted, as often as they
    stand."""
    found: list[int] = []
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            layers = _layers(statement)
            for part in statement.body:
                _walk(part, layers, found)
        elif isinstance(statement, ast.FunctionDef) and statement.name not in _OUTSIDE:
            for part in statement.body:
                _walk(part, {}, found)
    return sorted(found)


def _layers(owner: ast.ClassDef) -> dict[str, str]:
    """What stands behind self.NAME: the call that made it, "nn.Linear"."""
    layers = {}
    for node in ast.walk(owner):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call):
            target = node.targets[0]
            if isinstance(target, ast.Attribute) and _is_self(target.value):
                layers[target.attr] = _called(node.value.func)
    return layers


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _called(node: ast.expr) -> str:
    """ "torch.relu" of an attribute chain that begins at a library; what is the user's own has no name."""
    if isinstance(node, ast.Attribute):
        base = _called(node.value)
        return node.attr if base in ("", "torch", "nn", "F", "functional", "torch.nn", "torch.nn.functional") else ""
    return node.id if isinstance(node, ast.Name) and node.id in _ROOTS else ""


def _walk(node: ast.AST, layers: dict[str, str], found: list[int]) -> tuple[str, int]:
    """(digest, nodes) of `node`; those of its subtrees, it among them, are added to `found`."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return "", 0  # a docstring
    leaf = _leaf(node, layers)
    if leaf is not None:
        return leaf, 1
    parts, nodes = [type(node).__name__], 1
    if isinstance(node, ast.Attribute):
        parts.append(node.attr)
    if isinstance(node, ast.keyword):
        parts.append(node.arg or "")
    if isinstance(node, ast.FunctionDef):
        return _function(node, layers, found)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.expr_context, ast.arguments)):
            continue
        text, count = _walk(child, layers, found)
        parts.append(text)
        nodes += count
    text = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
    if nodes > 1:
        found.append(int(text, 16))
    return text, nodes


def _function(node: ast.FunctionDef, layers: dict[str, str], found: list[int]) -> tuple[str, int]:
    """Its statements count, not itself: it would differ wherever one of them does."""
    nodes = sum(_walk(part, layers, found)[1] for part in node.body)
    return "function", nodes


def _leaf(node: ast.AST, layers: dict[str, str]) -> str | None:
    if isinstance(node, ast.Constant):
        return type(node.value).__name__ if not isinstance(node.value, (bool, type(None))) else str(node.value)
    if isinstance(node, ast.Attribute):
        if _is_self(node.value):
            return "self." + layers.get(node.attr, "")
        return _called(node) or None
    if isinstance(node, ast.Name):
        return node.id if node.id in _ROOTS else "name"
    return None
