# SPDX-License-Identifier: Apache-2.0
"""Where stitchcuda's programs are, for a project that lies anywhere: named by STITCHCUDA, in the source tree or
tarball that this file belongs to, in an installed Python package, or in PATH."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator

_PROGRAM = "stitchcuda"


def program_folders() -> Iterator[str]:
    """Folders that may hold the programs, the likeliest first."""
    named = os.environ.get("STITCHCUDA")
    if named:
        yield os.path.dirname(os.path.realpath(named))
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    yield from _around(root)
    spec = importlib.util.find_spec(_PROGRAM)
    for package in (spec.submodule_search_locations or []) if spec else []:
        yield os.path.join(package, "_programs", "bin")
        yield from _around(os.path.dirname(os.path.dirname(package)))
    found = shutil.which(_PROGRAM)
    if found:
        yield os.path.dirname(os.path.realpath(found))


def _around(root: str) -> Iterator[str]:
    """`root` holds runtime/: a source tree with its build folder, or share/stitchcuda beside bin/."""
    yield os.path.join(root, "build")
    yield os.path.normpath(os.path.join(root, "..", "..", "bin"))


def find(name: str) -> str | None:
    """The path of a program or library of ours."""
    paths = (os.path.join(folder, name) for folder in program_folders())
    return next((path for path in paths if os.path.isfile(path)), None)


def environment() -> dict[str, str]:
    """For a program of ours: CUDA's headers may be among the packages of this Python."""
    return {"VIRTUAL_ENV": sys.prefix, **os.environ}
