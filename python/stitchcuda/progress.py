# SPDX-License-Identifier: Apache-2.0
"""Shows progress: the command line's own lines in a terminal, a few lines kept up to date in a notebook."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable
from typing import Any

_KEPT = 8  # lines of a notebook's display

Show = Callable[[str], None]


def shower(progress: bool | Callable[[str], None] | None) -> Show:
    """None: as suits where this runs; False: nothing; a function gets every line."""
    if callable(progress):
        return progress
    if progress is False:
        return lambda _line: None
    notebook = _Notebook.here()
    return notebook.show if notebook is not None else _to_terminal


def _to_terminal(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


class _Notebook:
    """One display, updated in place."""

    def __init__(self, display: Any, make: Any) -> None:
        self._lines: list[str] = []
        self._make = make
        self._handle = display(make(""), display_id=True)

    @staticmethod
    def here() -> _Notebook | None:
        """None where no notebook is."""
        try:
            from IPython import get_ipython
            from IPython.display import HTML, display
        except ImportError:
            return None
        if type(get_ipython()).__name__ != "ZMQInteractiveShell":
            return None
        return _Notebook(display, HTML)

    def show(self, line: str) -> None:
        self._lines = [*self._lines, line][-_KEPT:]
        text = html.escape("\n".join(self._lines))
        self._handle.update(self._make(f'<pre style="line-height: 1.2">{text}</pre>'))
