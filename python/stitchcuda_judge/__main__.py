# SPDX-License-Identifier: Apache-2.0
"""Prints the prompt of a request with the Python texts that belong into it, made neutral."""

from __future__ import annotations

import json
import pathlib
import sys

from .neutral import neutral_python


def main() -> int:
    request = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    prompt = request["prompt"]
    if request["program"] is not None:
        prompt = prompt.replace("{{program}}", neutral_python({"program.py": request["program"]}), 1)
    if request["python"] is not None:
        prompt = prompt.replace("{{python}}", neutral_python(request["python"]), 1)
    sys.stdout.write(prompt)
    return 0


if __name__ == "__main__":
    sys.exit(main())
