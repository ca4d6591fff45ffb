# SPDX-License-Identifier: Apache-2.0
"""Every verb by its name on the wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .import_verb import run_import

VERBS: dict[str, Callable[[dict[str, Any], Callable[[str], None]], dict[str, Any]]] = {
    "import": run_import,
}
