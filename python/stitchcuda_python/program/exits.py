# SPDX-License-Identifier: Apache-2.0
"""Turns a user's os._exit() and os.abort() into SystemExit, which is told with its line; the real ones end the process
without a word."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn


@contextmanager
def exits_told() -> Iterator[None]:
    """While active, in this process only: a forked child ends as it means to."""
    owner = os.getpid()
    saved = {name: getattr(os, name) for name in ("_exit", "abort")}

    def telling(name: str) -> Any:
        def leave(*status: Any) -> NoReturn:
            if os.getpid() != owner:
                saved[name](*status)
            raise SystemExit(*status)

        return leave

    for name in saved:
        setattr(os, name, telling(name))
    try:
        yield
    finally:
        for name, original in saved.items():
            setattr(os, name, original)
