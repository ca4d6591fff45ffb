# SPDX-License-Identifier: Apache-2.0
"""`oracle.*`: open a program as reference, make draws, read intermediate values, close."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..deadline import deadline
from ..failures import ENVIRONMENT, INTERNAL, Failure
from ..oracle.places import peak_bytes, release_unused
from ..oracle.plan_values import NoReference
from ..oracle.session import Session
from ..program.build import Request

OPEN_DEADLINE_SECONDS = 300.0
_sessions: dict[int, Session] = {}
_Progress = Callable[[str], None]


def open_oracle(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Arguments: import's, math, seed, device, folder. Answers the oracle's number, specs, regimes and the gate."""
    request = Request.from_json(arguments)
    folder = str(arguments["folder"])
    if not os.path.isdir(folder):
        raise Failure(ENVIRONMENT, f"There is no folder {folder} for the draws.", folder, "Create it first.")
    math, device = arguments.get("math") or "fp32", arguments.get("device") or "cpu"
    seconds = float(arguments.get("deadline_s") or OPEN_DEADLINE_SECONDS)
    for earlier in _sessions.values():
        earlier.rest()
    with deadline(seconds, f"Running {request.file} as reference", request.file):
        session = Session(request, str(math), int(arguments.get("seed") or 0), str(device), folder)
    number = max(_sessions, default=0) + 1
    _sessions[number] = session
    return {"oracle": number, **session.describe()}


def draw(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Arguments: oracle, regime, draw, keep, stays. Answers the paths of the files written; with `stays` the places of
    what is large, {handle, offset, bytes}, and the most bytes that this process's tensors took on the GPU."""
    session = _session(arguments)
    flags = [bool(arguments.get(key)) for key in ("keep", "stays")]
    made = session.draw(str(arguments["regime"]), int(arguments["draw"]), *flags)
    return made | {"peak_bytes": peak_bytes()}


def look_at(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Arguments: oracle, outputs (places, null for what came as files), whole. Answers what each looks like beside the
    last draw's references."""
    outputs = _session(arguments).look_at(list(arguments["outputs"]), bool(arguments.get("whole")))
    return {"outputs": outputs, "peak_bytes": peak_bytes()}


def rest(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Argument: oracle. Frees what stays of the last draw, of every open oracle."""
    _session(arguments)
    for session in _sessions.values():
        session.rest()
    return {}


def given(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Arguments: oracle, draw, inputs and states (files), folder. Answers the paths of the answers to these contents
    with that draw's parameters."""
    files = [[str(path) for path in arguments[key]] for key in ("inputs", "states")]
    return _session(arguments).given(int(arguments["draw"]), *files, str(arguments["folder"]))


def extend(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Arguments: oracle, nodes and wanted values of a plan (plan_values.extended). Answers their names here; where they
    cannot be had none, and why in a sentence."""
    try:
        return {"names": _session(arguments).extend(list(arguments["nodes"]), list(arguments["wanted"])), "why_not": ""}
    except NoReference as error:
        return {"names": {}, "why_not": str(error)}


def intermediates(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Arguments: oracle, names. Answers paths of values of the last draw."""
    return {"paths": _session(arguments).write_intermediates([str(name) for name in arguments["names"]])}


def own_draws(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Arguments: oracle, count. Answers paths of what as many runs of the eager module make of the last draw, each with
    random numbers of its own."""
    return {"runs": _session(arguments).write_own_draws(int(arguments["count"]))}


def nulls(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Argument: oracle. Answers the program's null candidates, each {key, number, about, outputs}, and notes."""
    return _session(arguments).null_list()


def unasked(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Argument: oracle. Answers in words what verdicts on the program cannot ask."""
    return {"questions": _session(arguments).unasked()}


def null(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Arguments: oracle, key. Answers the paths of what that null candidate gives to the last draw, none where it has
    nothing to say there, and whether it applies to the program at all."""
    return _session(arguments).write_null(str(arguments["key"]))


def close_oracle(arguments: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Argument: oracle. Frees its memory; its files are the caller's."""
    _session(arguments)
    del _sessions[int(arguments["oracle"])]
    release_unused()
    return {}


def _session(arguments: dict[str, Any]) -> Session:
    session = _sessions.get(int(arguments.get("oracle") or 0))
    if session is None:
        raise Failure(INTERNAL, f"No oracle {arguments.get('oracle')} is open.")
    return session
