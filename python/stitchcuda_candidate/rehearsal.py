# SPDX-License-Identifier: Apache-2.0
"""Kernels that a candidate compiles itself, on a GPU: load_inline, load and Triton start compilers, which a process
that is judged may not. So the candidate is run once beforehand, on tensors of zeros, in a process that may start
programs and that nobody believes; what it compiled stays in a folder that the judged process reads."""

from __future__ import annotations

import base64
import inspect
import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

from .channel import Fault

FOLDER = "STITCHCUDA_COMPILED"
_SAID = "said.json"
_COMPILERS = ("ptxas", "nvcc", "ninja", "gcc", "cc", "c++", "g++", "clang", "x86_64-linux-gnu", "cicc", "nvlink")


def _key(arguments: tuple[Any, ...]) -> str:
    words = arguments[0] if arguments else ""
    return json.dumps([str(word) for word in words] if isinstance(words, (list, tuple)) else str(words))


def record(folder: str) -> None:
    """Notes what started programs say, which Triton asks each time (the version of its assembler)."""
    original, said = subprocess.check_output, {}  # type: ignore[var-annotated]

    def check_output(*arguments: Any, **options: Any) -> Any:
        answer = original(*arguments, **options)
        is_text = isinstance(answer, str)
        said[_key(arguments)] = [is_text, answer if is_text else base64.b64encode(answer).decode()]
        with open(os.path.join(folder, _SAID), "w", encoding="utf-8") as file:
            json.dump(said, file)
        return answer

    subprocess.check_output = check_output  # type: ignore[assignment]


def replay(folder: str) -> None:
    """In the judged process: what was noted is said again, what was built is loaded, and nothing is compiled."""
    said: dict[str, Any] = {}
    if os.path.exists(os.path.join(folder, _SAID)):
        with open(os.path.join(folder, _SAID), encoding="utf-8") as file:
            said = json.load(file)
    for name in ("run", "call", "check_call", "check_output", "Popen"):
        setattr(subprocess, name, _without_compilers(getattr(subprocess, name), said if name == "check_output" else {}))
    _load_what_was_built()


def _without_compilers(original: Callable[..., Any], said: dict[str, Any]) -> Any:
    if isinstance(original, type):  # Popen: others derive from it
        kind = original

        class Popen(kind):  # type: ignore[misc, valid-type]
            """Starts no compiler."""

            def __init__(self, *arguments: Any, **options: Any) -> None:
                _refuse_compilers(arguments)
                super().__init__(*arguments, **options)

        return Popen

    def start(*arguments: Any, **options: Any) -> Any:
        if (answer := said.get(_key(arguments))) is not None:
            return answer[1] if answer[0] else base64.b64decode(answer[1])
        _refuse_compilers(arguments)
        return original(*arguments, **options)

    return start


def _refuse_compilers(arguments: tuple[Any, ...]) -> None:
    words = arguments[0] if arguments else ""
    program = str(words[0] if isinstance(words, (list, tuple)) and words else words).split(" ")[0]
    if os.path.basename(program).startswith(_COMPILERS):
        raise Fault(
            f"starts {os.path.basename(program)} for a kernel that its first call did not compile: kernels are "
            "compiled beforehand, by a call on tensors of zeros",
            "unsupported",
        )


def _load_what_was_built() -> None:
    from torch.utils import cpp_extension

    form = inspect.signature(cpp_extension._jit_compile)

    def load(*arguments: Any, **options: Any) -> Any:
        given = form.bind(*arguments, **options).arguments
        name, place = str(given["name"]), str(given["build_directory"])
        if not os.path.exists(os.path.join(place, f"{name}{cpp_extension.LIB_EXT}")):
            raise Fault(f"the extension {name} was not built by the first call, or under another name", "unsupported")
        return cpp_extension._import_module_from_library(name, place, given["is_python_module"])

    cpp_extension._jit_compile = load
