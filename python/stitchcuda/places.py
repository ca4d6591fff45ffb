# SPDX-License-Identifier: Apache-2.0
"""Where the programs and the files that they need lie: in an installed wheel, a source tree or an unpacked tarball."""

from __future__ import annotations

import functools
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

from .errors import MissingEnvironment

_HERE = Path(__file__).resolve().parent
_INSTALLED = _HERE / "_programs"
_TREE = _HERE.parents[1]


def command() -> str:
    """The path of the program `stitchcuda`. STITCHCUDA wins over what is found."""
    named = os.environ.get("STITCHCUDA")
    return named if named and os.path.isfile(named) else installed_command()


def installed_command() -> str:
    """The program that belongs to this package."""
    for path in (_INSTALLED / "bin", _TREE / "build", _TREE.parents[1] / "bin"):
        if (path / "stitchcuda").is_file():
            return str(path / "stitchcuda")
    raise MissingEnvironment(
        "the program stitchcuda was not found",
        str(_INSTALLED),
        "run `pip install .` in stitchcuda's source tree, or set STITCHCUDA to the program's path",
        "environment",
    )


def environment() -> dict[str, str]:
    """What the program is started with: this very Python for PyTorch, and its packages for CUDA's headers."""
    return {
        **os.environ,
        "STITCHCUDA_PYTHON": os.environ.get("STITCHCUDA_PYTHON") or sys.executable,
        "VIRTUAL_ENV": os.environ.get("VIRTUAL_ENV") or sys.prefix,
    }


@functools.lru_cache(maxsize=1)
def runtime() -> ModuleType:
    """The package stitchcuda_runtime, which runs compiled programs; its modules keep that name."""
    for root in (_INSTALLED / "share" / "stitchcuda", _TREE):
        folder = root / "runtime" / "python"
        if (folder / "stitchcuda_runtime").is_dir():
            sys.path.insert(0, str(folder))
            try:
                return importlib.import_module("stitchcuda_runtime")
            finally:
                sys.path.remove(str(folder))
    raise MissingEnvironment(
        "stitchcuda's own files (runtime/) were not found", str(_HERE), "install the package again", "environment"
    )
