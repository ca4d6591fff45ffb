# SPDX-License-Identifier: Apache-2.0
"""What the tests share: programs of this folder through the real binary, and their own classes."""

import atexit
import functools
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

from named_seed import with_seed

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("STITCHCUDA_BUILD", "build")
PROGRAMS = pathlib.Path(__file__).parent / "programs"
sys.path.insert(0, str(ROOT / "runtime" / "python"))
_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)


def stitchcuda(*arguments: str) -> tuple[int, dict, str]:
    """Exit code, the JSON answer ({} when there is none), and what it said on the way."""
    done = subprocess.run(
        [str(BUILD / "stitchcuda"), *with_seed(*arguments), "--json"],
        text=True,
        capture_output=True,
        timeout=600,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def succeed(*arguments: str) -> dict:
    code, answer, said = stitchcuda(*arguments)
    if code != 0:
        raise AssertionError(f"{arguments}: exit {code}: {answer} {said[-2000:]}")
    return answer


@functools.lru_cache(maxsize=None)
def project(program: str) -> pathlib.Path:
    """The emitted project of a program of this folder, emulated library included (program.so)."""
    folder = pathlib.Path(_folder.name) / program
    graph, plan, out = (f"{folder}.ir", f"{folder}.json", str(folder))
    succeed("import", str(PROGRAMS / f"{program}.py"), "--out", graph)
    succeed("plan", graph, "--out", plan)
    succeed("emit", plan, "--out", out, "--program", str(PROGRAMS / f"{program}.py"))
    succeed("build", out, "--device", "emulated", "--out", f"{out}/program.so")
    return folder


@functools.lru_cache(maxsize=None)
def load(path: pathlib.Path) -> types.ModuleType:
    """A Python file as a module that pickle finds again."""
    name = f"loaded_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def model_new(program: str) -> types.ModuleType:
    """The generated model_new.py of a program of this folder."""
    os.environ.setdefault("STITCHCUDA", str(BUILD / "stitchcuda"))
    os.environ.setdefault("STITCHCUDA_EMULATOR", str(BUILD / "libstitch_emulator.so"))
    return load(project(program) / "model_new.py")


def reference(program: str) -> types.ModuleType:
    """The program's own file, as a module."""
    return load(PROGRAMS / f"{program}.py")
