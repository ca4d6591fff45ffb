# SPDX-License-Identifier: Apache-2.0
"""Where in the user's file an operator of the traced graph came from."""

from __future__ import annotations

import os
import re

from ..failures import is_user_file, shown_name

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def place_in_user_code(stack_trace: str | None, user_folder: str) -> str:
    """ "model.py:14" for the innermost frame of the user's own code, "" where the trace has none."""
    for file, line in reversed(_FRAME.findall(stack_trace or "")):
        if is_user_file(file, user_folder):
            return f"{os.path.basename(shown_name(file))}:{line}"
    return ""
