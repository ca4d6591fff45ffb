# SPDX-License-Identifier: Apache-2.0
"""Runs the program `stitchcuda` and reads its answer; an interrupt ends it with everything it has started."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from .errors import InternalError, UsageError, error_from
from .places import command, environment

_SECONDS_TO_END = 20.0
_USAGE = 2  # exit code


def run(arguments: Sequence[str], show: Callable[[str], None]) -> dict[str, Any]:
    """The object that `stitchcuda ARGUMENTS --json` prints. `show` gets every line of progress. Raises the exception
    for an `error` in it, and KeyboardInterrupt, once no child is left, where the user interrupts."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as answer:
        # A session of its own: a terminal sends Ctrl-C to all its processes, and this one is told by us, once.
        child = subprocess.Popen(
            [command(), *arguments, "--json"],
            stdin=subprocess.DEVNULL,
            stdout=answer,
            stderr=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
            text=True,
            errors="replace",
        )
        said = _follow(child, show)
        answer.seek(0)
        text = answer.read()
    return _read(text, child.returncode, said)


def _follow(child: subprocess.Popen[str], show: Callable[[str], None]) -> list[str]:
    said: list[str] = []
    assert child.stderr is not None
    try:
        for line in child.stderr:
            said.append(line.rstrip("\n"))
            if not line.startswith("stitchcuda: "):  # the error itself, which is raised
                show(line.rstrip("\n"))
        child.wait()
    except BaseException:
        _end(child)
        raise
    finally:
        child.stderr.close()
    return said[-20:]


def _end(child: subprocess.Popen[str]) -> None:
    """As Ctrl-C would: the program ends its own children. One that does not end is killed; so are they, with it."""
    child.send_signal(signal.SIGINT)
    try:
        child.wait(_SECONDS_TO_END)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        child.kill()
        child.wait()


def _read(text: str, code: int, said: list[str]) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        last = said[-1].removeprefix("stitchcuda: ") if said else f"it ended with code {code} and without a word"
        raise (UsageError(last, code="usage") if code == _USAGE else InternalError(last, command()))
    if "error" in answer:
        raise error_from(answer["error"])
    return answer
