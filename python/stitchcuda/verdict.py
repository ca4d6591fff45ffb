# SPDX-License-Identifier: Apache-2.0
"""What a run of optimize() found out, read from the folder that it wrote."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """Whether the compiled program computes what the module computes. `error_ratio` is the largest error against fp64
    as a multiple of PyTorch's own; 4 is accepted. `seed` repeats its draws; None where nothing was drawn. Times are
    None where nothing was measured."""

    ok: bool
    kind: str
    reason: str
    detail: str
    text: str
    error_ratio: float
    seed: int | None
    draws: int
    checked_draws: int
    shapes: tuple[str, ...]
    notes: tuple[str, ...]
    device: str
    math: str
    scale: str
    batch: str
    operators: int
    steps: int
    modelled_us: float
    measured_us: float | None
    seconds: float

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<span>{'✔' if self.ok else '✘'} {html.escape(self.text)}</span>"


def read_verdict(answer: dict[str, Any], out: str) -> Verdict:
    """From the answer of `optimize --json` and evidence/verify.json in the folder that it names."""
    with open(os.path.join(out, "evidence", "verify.json"), encoding="utf-8") as stream:
        verify = json.load(stream)
    verdict = answer["verdict"]
    measured = answer.get("measured") or {}
    return Verdict(
        ok=verdict["kind"] == "ok",
        kind=verdict["kind"],
        reason=verdict["reason"],
        detail=verdict.get("detail", ""),
        text=answer.get("sentence") or _sentence(verdict),
        error_ratio=float(answer["error_ratio"]),
        seed=answer.get("seed"),
        draws=int(verify.get("draws", 0)),
        checked_draws=int(verify.get("checked_draws", 0)),
        shapes=tuple(verify.get("shapes", ())),
        notes=tuple(verify.get("notes", ())),
        device=answer["device"],
        math=answer["math"],
        scale=answer["scale"],
        batch=answer.get("batch", ""),
        operators=int(answer["operators"]),
        steps=int(answer["steps"]),
        modelled_us=float(answer["modelled_us"]),
        measured_us=measured.get(f"{measured.get('faster', 'plain')}_us"),
        seconds=float(answer["seconds"]["total"]),
    )


def _sentence(verdict: dict[str, str]) -> str:
    """For answers of programs that do not say it themselves."""
    said = "verified" if verdict["kind"] == "ok" else f"not verified ({verdict['kind']})"
    return f"{said}: {verdict['reason']}"
