# SPDX-License-Identifier: Apache-2.0
"""The report of a run: a file to open, and a summary that a notebook shows."""

from __future__ import annotations

import html
import os

from .verdict import Verdict

_NAME = "report.html"


class Report(os.PathLike[str]):
    """`path` is report.html in the folder `out`; where no report was written, the folder itself."""

    def __init__(self, out: str, verdict: Verdict) -> None:
        file = os.path.join(out, _NAME)
        self.out = out
        self.path = file if os.path.isfile(file) else out
        self.verdict = verdict

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"Report({self.path!r})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th style="text-align: left">{html.escape(name)}</th>'
            f'<td style="text-align: left">{html.escape(text)}</td></tr>'
            for name, text in self._rows()
        )
        link = html.escape(self.path, quote=True)
        return f'<table>{rows}</table><a href="file://{link}">{link}</a>'

    def _rows(self) -> list[tuple[str, str]]:
        made = self.verdict
        time = f"{made.modelled_us:.1f} µs modelled"
        if made.measured_us is not None:
            time = f"{made.measured_us:.1f} µs measured, {time}"
        return [
            ("verdict", made.text),
            ("steps", f"{made.steps} from {made.operators} operators, math {made.math}"),
            ("time", time),
            ("batch", made.batch),
            ("device", f"{made.device} ({made.scale} sizes)"),
        ]
