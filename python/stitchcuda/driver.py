# SPDX-License-Identifier: Apache-2.0
"""Asks the driver in this process, where no candidate code and no program of the user's runs: libstitchcuda.so, which
lies beside the program `stitchcuda`. Any thread may ask at any time. What starts processes is asked of the program
(command.py)."""

from __future__ import annotations

import ctypes
import functools
import json
import os
from typing import Any

from .errors import MissingEnvironment, error_from
from .places import command

_INTERFACE = 1  # STITCHCUDA_INTERFACE of src/binding/stitchcuda.h
_REMEDY = "Install the package again, or run `make` in the source tree."


def ask(verb: str, **arguments: Any) -> dict[str, Any]:
    """The answer to a request (docs/formats.md). Raises the exception for an `error` in it."""
    library = _library(os.path.join(os.path.dirname(command()), "libstitchcuda.so"))
    request = json.dumps({"verb": verb, **arguments}).encode()
    address = library.stitchcuda_ask(request, len(request))
    if not address:
        raise MissingEnvironment("memory ran out", "", "Free some memory.", "environment")
    try:
        answer = json.loads(ctypes.string_at(address))
    finally:
        library.stitchcuda_free(address)
    if "error" in answer:
        raise error_from(answer["error"])
    return dict(answer)


@functools.lru_cache
def _library(path: str) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(path)
    except OSError as failed:
        sentence = f"stitchcuda's library cannot be loaded: {failed}"
        raise MissingEnvironment(sentence, path, _REMEDY, "environment") from failed
    try:
        interface = library.stitchcuda_interface()
    except AttributeError:
        interface = None
    if interface != _INTERFACE:
        sentence = f"stitchcuda's library has interface {interface}, and this package asks by interface {_INTERFACE}"
        raise MissingEnvironment(sentence, path, _REMEDY, "environment")
    library.stitchcuda_ask.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.stitchcuda_ask.restype = ctypes.c_void_p  # c_char_p would be a copy, and the answer lost to free
    library.stitchcuda_free.argtypes = [ctypes.c_void_p]
    library.stitchcuda_free.restype = None
    return library
