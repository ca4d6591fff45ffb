# SPDX-License-Identifier: Apache-2.0
"""`candidate.interface` and `candidate.source`: what a ModelNew must look like, and what stands in one's source."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..candidate.interface import interface_of
from ..candidate.source_facts import source_facts
from ..deadline import deadline
from ..failures import PROGRAM_INVALID, Failure
from ..graph.export import export_request
from ..program.build import Request
from ..program.source import parse_source, read_source

DEADLINE_SECONDS = 180.0
MAX_MODULES = 200  # beside the candidate's file that are looked through
MAX_SOURCE_BYTES = 4 << 20  # its tree takes a hundred times as much memory, and seconds to walk through


def candidate_interface(arguments: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Arguments: import's. Answers the interface that a candidate for this program has."""
    request = Request.from_json(arguments)
    with deadline(DEADLINE_SECONDS, f"Reading the interface of {request.file}", request.file):
        return interface_of(export_request(request), request.file)


def candidate_source(arguments: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """Argument: candidate, a Python file in a folder of its own that is read and never run. Answers what stands out in
    its source and in that of the modules around it."""
    path = os.path.abspath(str(arguments["candidate"]))
    if os.path.isfile(path) and os.path.getsize(path) > MAX_SOURCE_BYTES:
        message = f"{path} is larger than {MAX_SOURCE_BYTES >> 20} MiB."
        raise Failure(PROGRAM_INVALID, message, path, "Make it smaller.")
    tree = parse_source(read_source(path), path)
    facts = source_facts(tree, os.path.basename(path))
    for other in _modules_around(path):
        try:
            tree = parse_source(read_source(other), other)
            facts += source_facts(tree, os.path.relpath(other, os.path.dirname(path)))
        except Failure:
            continue  # nothing imports it, or the import says why not
    return {"facts": [fact.to_json() for fact in facts]}


def _modules_around(path: str) -> list[str]:
    found = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(os.path.dirname(path))
        if "stitchcuda_runtime" not in folder  # that of every program of ours
        for name in sorted(names)
        if name.endswith(".py") and os.path.join(folder, name) != path
    ]
    return sorted(each for each in found if os.path.getsize(each) <= MAX_SOURCE_BYTES)[:MAX_MODULES]
