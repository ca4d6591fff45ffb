# SPDX-License-Identifier: Apache-2.0
"""torch.utils.cpp_extension for a candidate. This process starts no compiler: what load_inline is asked for is told to
the supervisor, which builds it for the emulated device, reads the library and starts another process that has it."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import sys
import types
from typing import Any

import torch

from .channel import Fault

MAX_BYTES = 3 << 20  # of all sources together: they travel in one answer
_HEADERS = (".cuh", ".h", ".hpp", ".inl")
_IMPLICIT = "#include <torch/extension.h>"
_IMPLICIT_CUDA = "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>"


class NotBuilt(BaseException):
    """Something of an extension is used that is yet to be built. No candidate's `except Exception` takes it."""


class Extensions:
    """`built` has the library of each known request by its key.
    `collects`: an unknown request is noted, and answered by a module of which nothing can be called."""

    def __init__(self, built: dict[str, str], collects: bool) -> None:
        self._built, self._collects = built, collects
        self._loaded: dict[str, Any] = {}
        self._meets_another_runtime = False
        self.requests: list[dict[str, Any]] = []

    def install(self) -> None:
        """In the place of PyTorch's module."""
        module = types.ModuleType("torch.utils.cpp_extension")
        module.__dict__.update(load_inline=self.load_inline, load=self.load, CUDA_HOME=None, include_paths=_no_paths)
        sys.modules[module.__name__] = module
        torch.utils.cpp_extension = module
        emulator = ctypes.CDLL(os.environ["STITCHCUDA_EMULATOR"], mode=ctypes.RTLD_GLOBAL)  # they find CUDA there
        # A PyTorch that was built with CUDA has brought its own before, which the loader would find first.
        self._meets_another_runtime = _address_in(ctypes.CDLL(None)) != _address_in(emulator)

    def load_inline(self, name: str, cpp_sources: Any, cuda_sources: Any = None, sycl_sources: Any = None,
                    functions: Any = None, extra_cflags: Any = None, extra_cuda_cflags: Any = None,
                    with_pytorch_error_handling: bool = True, no_implicit_headers: bool = False,
                    is_python_module: bool = True, **_: Any) -> Any:  # fmt: skip
        """The files that PyTorch's own writes. Flags are ours, macros apart; link flags play no part."""
        if sycl_sources:
            raise Fault("load_inline was given sycl_sources", "unsupported")
        implicit = not no_implicit_headers
        files = {"main.cpp": [_IMPLICIT] * implicit + _texts(cpp_sources)}
        if functions is not None:
            files["main.cpp"] += _bindings(functions, with_pytorch_error_handling)
        if cuda_sources:
            files["cuda.cu"] = [_IMPLICIT_CUDA] * implicit + _texts(cuda_sources)
        request = {
            "name": str(name),
            "files": {file: "\n".join(parts) + "\n" for file, parts in files.items()},
            "units": sorted(files),
            "macros": _macros(extra_cflags) + _macros(extra_cuda_cflags),
        }
        return self._answer(request, is_python_module)

    def load(self, name: str, sources: Any, extra_cflags: Any = None, extra_cuda_cflags: Any = None,
             is_python_module: bool = True, **_: Any) -> Any:  # fmt: skip
        """Files, with the headers beside them."""
        paths = [os.path.abspath(path) for path in _texts(sources)]
        files = {}
        for folder in sorted({os.path.dirname(path) for path in paths}):
            for file in sorted(os.listdir(folder)):
                if file.endswith(_HEADERS):
                    files[file] = _text_of(os.path.join(folder, file))
        units = {os.path.basename(path): _text_of(path) for path in paths}
        request = {
            "name": str(name),
            "files": files | units,
            "units": sorted(units),
            "macros": _macros(extra_cflags) + _macros(extra_cuda_cflags),
        }
        return self._answer(request, is_python_module)

    def _answer(self, request: dict[str, Any], is_python_module: bool) -> Any:
        if self._meets_another_runtime:
            raise Fault("PyTorch has a CUDA runtime of its own here, which extensions would call instead of the "
                        "emulated device's: judge this with --device gpu, or with a PyTorch without CUDA",
                        "unsupported")  # fmt: skip
        text = json.dumps(request, sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()
        if key in self._loaded:
            return self._loaded[key]
        if key in self._built:
            self._loaded[key] = self._load_built(request["name"], self._built[key], is_python_module)
            return self._loaded[key]
        if not self._collects:
            raise Fault("load_inline is asked for sources that differ from those it was asked for when the file was "
                        "read before: they cannot be built", "unsupported")  # fmt: skip
        if sum(len(each["text"]) for each in self.requests) + len(text) > MAX_BYTES:
            raise Fault(f"load_inline is given more than {MAX_BYTES >> 20} MiB of sources", "unsupported")
        if all(each["key"] != key for each in self.requests):
            self.requests.append({"key": key, "text": text})
        return _Unbuilt(request["name"])

    def _load_built(self, name: str, library: str, is_python_module: bool) -> Any:
        if not is_python_module:
            return torch.ops.load_library(library)
        loader = importlib.machinery.ExtensionFileLoader(name, library)
        spec = importlib.util.spec_from_loader(name, loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        return module


def _address_in(library: ctypes.CDLL) -> int | None:
    """Where its CUDA runtime launches kernels."""
    return ctypes.cast(library.cudaLaunchKernel, ctypes.c_void_p).value


class _Unbuilt(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        def use(*_: Any, **__: Any) -> None:
            raise NotBuilt(name)

        if name.startswith("__"):
            raise AttributeError(name)
        return use


def _no_paths(*_: Any, **__: Any) -> list[str]:
    return []


def _texts(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else [str(part) for part in value]


def _text_of(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()


def _bindings(functions: Any, is_wrapped: bool) -> list[str]:
    named = functions if isinstance(functions, dict) else {name: name for name in _texts(functions)}
    value = "torch::wrap_pybind_function({})" if is_wrapped else "{}"
    lines = [f'm.def("{name}", {value.format(name)}, "{text}");' for name, text in named.items()]
    return ["PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {", *lines, "}"]


def _macros(flags: Any) -> list[str]:
    """Those of the flags that define or undefine a macro."""
    found, words = [], iter(_texts(flags))
    for word in words:
        if word in ("-D", "-U"):
            word += next(words, "")
        if word.startswith(("-D", "-U")) and len(word) > 2:
            found.append(word)
    return found
