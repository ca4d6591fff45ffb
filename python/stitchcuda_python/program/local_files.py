# SPDX-License-Identifier: Apache-2.0
"""Which files beside a user's program belong to it."""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Iterator

from ..failures import is_user_file


def local_files(file: str) -> list[str]:
    """`file` and what it imports, directly or not, from below its folder: paths relative to that folder, sorted. All
    are loaded by now; what is read as data, or imported by a name made at run time, is not among them."""
    file = os.path.abspath(file)
    folder = os.path.dirname(file)
    found, waiting = {file}, [(file, "")]
    while waiting:
        path, package = waiting.pop()
        for name in _imported_names(path, package):
            module = sys.modules.get(name)
            source = os.path.abspath(getattr(module, "__file__", None) or "")
            if module is not None and source.endswith(".py") and source not in found and is_user_file(source, folder):
                found.add(source)
                waiting.append((source, getattr(module, "__package__", None) or ""))
    below = folder.rstrip(os.sep) + os.sep
    return sorted(os.path.relpath(path, folder) for path in found if path.startswith(below))


def _imported_names(path: str, package: str) -> Iterator[str]:
    """Every module that the file's import statements may load: packages on the way, and names imported from them."""
    try:
        with open(path, "rb") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_parents(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            try:
                whole = importlib.util.resolve_name(base, package) if node.level else base
            except ImportError:
                continue
            yield from _with_parents(whole)
            for alias in node.names:
                yield f"{whole}.{alias.name}"


def _with_parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        yield ".".join(parts[:count])
