# SPDX-License-Identifier: Apache-2.0
"""Builds a generated project's library on first use: nvcc for a GPU, `stitchcuda build` for the emulated device."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from .installed import environment, find

_HOST_UNITS = ("runtime/host/host_layer.cc", "runtime/host/graph_cache.cc")
_FLAGS = ("-std=c++20", "-O3", "--expt-relaxed-constexpr", "-Xcompiler", "-fPIC,-fvisibility=hidden")
_INCLUDES = ("-I", "runtime/include", "-I", "runtime")
_SOURCES = (".cu", ".cuh", ".cc", ".h")


class BuildError(RuntimeError):
    """A library could not be built; the message has the compiler's own words."""


def library_for(folder: str, device: str, architecture: str = "") -> str:
    """The library of the project in `folder` for "cuda" (an architecture such as "sm_90a") or "cpu" (emulated). Built
    once for each state of the sources; STITCHCUDA_LIBRARY names one for "cpu" that whoever runs this has built."""
    given = os.environ.get("STITCHCUDA_LIBRARY")
    if given and device == "cpu":
        return given
    with open(os.path.join(folder, "bundle.json"), encoding="utf-8") as stream:
        bundle = json.load(stream)
    compiler = _nvcc() if device == "cuda" else _stitchcuda()
    key = _key(folder, bundle["files"], [device, architecture, compiler, _version(compiler), *_FLAGS])
    paths = [
        os.path.join(place, f"python-{key[:16]}", f"lib{bundle['name']}.so")
        for place in (os.path.join(folder, "build"), _cache_folder())
    ]
    for path in paths:
        if os.path.isfile(path):
            return path
    aside = tempfile.mkdtemp(prefix="stitchcuda-build-")
    try:
        made = os.path.join(aside, "program.so")
        if device == "cuda":
            _compile_for_gpu(folder, bundle, compiler, architecture, aside, made)
        else:
            _call([compiler, "build", folder, "--device", "emulated", "--out", made, "--quiet"], folder)
        return _install(made, paths)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _install(made: str, paths: list[str]) -> str:
    """Copies the library to the first of `paths` that can be written: the project's build folder, else the user's."""
    for path in paths:
        aside = f"{path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy(made, aside)
            os.replace(aside, path)  # at once, whoever else builds the same
        except OSError:
            continue
        return path
    raise BuildError(f"The library cannot be written to {' or '.join(paths)}.")


def _compile_for_gpu(folder: str, bundle: dict, nvcc: str, architecture: str, aside: str, library: str) -> None:
    digits = architecture.removeprefix("sm_")
    target = ["-gencode", f"arch=compute_{digits},code=sm_{digits}"]
    units = [*bundle["units"], *_HOST_UNITS]
    objects = [os.path.join(aside, f"{number}.o") for number in range(len(units))]
    commands = [[nvcc, *_FLAGS, *target, *_INCLUDES, "-c", unit, "-o", made] for unit, made in zip(units, objects)]
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        list(pool.map(lambda command: _call(command, folder), commands))
    _call([nvcc, "-shared", *target, "-o", library, *objects, *bundle.get("link", [])], folder)


def _call(command: list[str], folder: str) -> None:
    done = subprocess.run(command, cwd=folder, env=environment(), text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"`{' '.join(command)}` failed in {folder}:\n{(done.stderr or done.stdout)[-4000:]}")


def _key(folder: str, files: list[str], words: list[str]) -> str:
    digest = hashlib.sha256("\0".join(words).encode())
    for name in sorted({*files, *_HOST_UNITS}):
        if name.endswith(_SOURCES):
            with open(os.path.join(folder, name), "rb") as stream:
                digest.update(name.encode() + b"\0" + stream.read())
    return digest.hexdigest()


def _cache_folder() -> str:
    return os.environ.get("STITCHCUDA_CACHE") or os.path.join(os.path.expanduser("~"), ".cache", "stitchcuda")


def _version(compiler: str) -> str:
    done = subprocess.run([compiler, "--version"], text=True, capture_output=True, check=False)
    return done.stdout


def _nvcc() -> str:
    toolkits = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    found = [os.environ.get("CUDACXX"), *(os.path.join(toolkit, "bin", "nvcc") for toolkit in toolkits)]
    for path in [*found, shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"]:
        if path and os.path.isfile(path):
            return path
    raise BuildError("nvcc was not found: install the CUDA toolkit, or set CUDA_HOME to its folder.")


def _stitchcuda() -> str:
    named = os.environ.get("STITCHCUDA")
    path = named if named and os.path.isfile(named) else find("stitchcuda")
    if path:
        return path
    raise BuildError(
        "On CPU tensors the program runs on the emulated device, which `stitchcuda` builds it for: put stitchcuda "
        "into PATH or set STITCHCUDA to it, or move module and inputs to a GPU."
    )
