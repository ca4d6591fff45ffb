# SPDX-License-Identifier: Apache-2.0
"""Prints what stands out in one unit, as JSON: {"facts": [...], "unread": null or a sentence}.

    python -m stitchcuda_source UNIT FOLDER HEADER COMPILER [OPTION...]
UNIT lies in FOLDER; HEADER (for_reading.h) comes after what the options include. Runs where hostile sources may."""

from __future__ import annotations

import json
import pathlib
import sys

_FRAMES = 20_000  # a tree may be deep


def main(first: int = 1) -> int:
    """`first`: of the arguments, the one that names the unit."""
    unit, folder, header, *command = sys.argv[first:]
    answer: dict[str, object] = {"facts": [], "unread": None}
    try:
        from .reader import Unreadable, read_unit
    except ImportError:
        answer["unread"] = "Python's package libclang is not installed"
    else:
        sys.setrecursionlimit(_FRAMES)
        try:
            facts = read_unit(command, unit, pathlib.Path(folder), pathlib.Path(header))
            answer["facts"] = [fact.to_json() for fact in facts]
        except Unreadable as error:
            answer["unread"] = str(error)
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
