# SPDX-License-Identifier: Apache-2.0
"""Requests that are answered before they come, by processes forked from this one: PyTorch is loaded once for all."""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import signal
from collections.abc import Callable
from typing import Any

Request = dict[str, Any]
Answer = dict[str, Any]

_PR_SET_PDEATHSIG = 1


def most_children() -> int:
    """How many processes may work ahead: a quarter of the cores. On few it costs what it gains, since compilers and
    this process want them too."""
    return min(4, (os.cpu_count() or 1) // 4)


class Ahead:
    """Forks before the program's own code has run here, and before PyTorch has threads. What a child prints is
    nobody's; one that ends without an answer is as good as none: the request is then answered here."""

    def __init__(self, answer: Callable[[Request], Answer]) -> None:
        self._answer = answer
        self._streams: dict[str, Any] = {}  # by request, in the order in which each child answers

    def begin(self, groups: list[list[Request]]) -> None:
        """One process for each group of requests, which it answers in their order; what is too many is left out."""
        parent = os.getpid()
        for group in groups[: most_children()]:
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                _run_child(parent, writer, group, self._answer)
            os.close(writer)
            stream = os.fdopen(reader, "rb")
            self._streams.update((_key(request), stream) for request in group)

    def take(self, request: Request) -> Answer | None:
        """The answer to a request that was begun, once: waits for it. None where there is none."""
        key = _key(request)
        stream = self._streams.pop(key, None)
        while stream is not None:
            line = stream.readline()
            try:
                said = json.loads(line)
            except ValueError:  # the child has ended
                return None
            if said["key"] == key:
                return said["answer"]
            # Of a request before this one, which nobody has asked for.
            self._streams.pop(said["key"], None)
        return None


def _key(request: Request) -> str:
    return json.dumps([request.get("verb"), request.get("arguments")], sort_keys=True)


def _run_child(parent: int, writer: int, group: list[Request], answer: Callable[[Request], Answer]) -> None:
    """Never returns."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        faulthandler.disable()  # a crash is told by the process that answers in earnest
        quiet = os.open(os.devnull, os.O_RDWR)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        with os.fdopen(writer, "wb") as stream:
            for request in group:
                said = {"key": _key(request), "answer": answer(request)}
                stream.write(json.dumps(said, allow_nan=False, separators=(",", ":")).encode() + b"\n")
                stream.flush()
    finally:
        os._exit(0)
