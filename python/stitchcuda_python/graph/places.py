# SPDX-License-Identifier: Apache-2.0
"""Where in the user's file an operator of the traced graph came from."""

from __future__ import annotations

import os
import re

from ..failures import is_user_file, shown_name

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def location_in_user_code(stack_trace: str | None, user_folder: str) -> str:
    """ "model.py:14", or "layers/attention.py:14" below the program's folder, for the innermost frame of the user's own
    code; "" where the trace has none."""
    for file, line in reversed(_FRAME.findall(stack_trace or "")):
        if is_user_file(file, user_folder):
            return f"{_short_name(shown_name(file), user_folder)}:{line}"
    return ""


def _short_name(file: str, user_folder: str) -> str:
    below = os.path.abspath(file).startswith(user_folder.rstrip(os.sep) + os.sep)
    return os.path.relpath(file, user_folder) if below else os.path.basename(file)
