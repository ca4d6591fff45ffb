# SPDX-License-Identifier: Apache-2.0
"""The fit of estimates to measured times, on times that are made up."""
from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent


def fit():
    loader = importlib.machinery.SourceFileLoader("fit", str(HERE / "fit"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fit", loader))
    loader.exec_module(module)
    return module


def made(skeleton: str, kind: str, factors: list[float], device: str = "H200") -> list[dict]:
    """Steps that take 2 us of launches and 10, 20... us of work, times the factor."""
    return [{"device": device, "skeleton": skeleton, "kind": kind, "signature": f"{skeleton}{kind}{place}",
             "launches_us": 2.0, "work_us": 10.0 * (place + 1), "measured_us": 2 + factor * 10 * (place + 1)}
            for place, factor in enumerate(factors)]


def test_a_factor_puts_most_times_within_reach() -> None:
    module = fit()
    times = made("gemm", "tf32", [1.6] * 9 + [4.0])
    assert module.share(times, lambda _: 1.0) == 0
    factor = module.fitted(times)
    assert factor == pytest.approx(1.6)
    assert module.share(times, lambda _: factor) == pytest.approx(0.9)
    assert module.held_out(times) == pytest.approx(0.9)


def test_few_steps_and_right_estimates_keep_their_factor() -> None:
    module = fit()
    assert module.fitted(made("gemm", "tf32", [1.6] * 3)) == 1
    assert module.fitted(made("gemm", "tf32", [1.0] * 8)) == 1


def test_a_factor_that_does_not_help_the_other_half_is_not_taken() -> None:
    module = fit()
    few = made("gemm", "tf32", [2.0] * 4)  # half of them are too few to fit a factor to
    assert module.fitted(few) == 2 and module.trusted(few) == 1
    assert module.trusted(made("gemm", "tf32", [2.0] * 8)) == 2
    assert module.trusted(made("gemm", "tf32", [2.0, 0.5] * 4)) == 1


def test_the_table_and_the_rows_that_are_written(tmp_path: pathlib.Path, monkeypatch, capsys) -> None:
    module = fit()
    monkeypatch.setattr(module, "TABLE", tmp_path / "fitted.def")
    other = 'STITCH_FITTED("A100", "gemm", "ffma", 1.5)\n'
    module.TABLE.write_text(f'// head\n{other}STITCH_FITTED("H200", "old", "x", 2)\n')
    lines = made("conv", "direct", [1.0] * 8) + made("gemm", "tf32", [2.0] * 8)
    (tmp_path / "times.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(sys, "argv", ["fit", "stitchcuda", str(tmp_path / "times.jsonl"), "--write"])
    assert module.main() == 0
    said = capsys.readouterr().out
    assert "| H200 | gemm | tf32 | 8 | 8 | 0 % | 100 % | 100 % | 2 |" in said
    assert "| all | | | 16 | 16 | 50 % | 100 % | 100 % | |" in said
    assert module.TABLE.read_text() == f'// head\n{other}STITCH_FITTED("H200", "gemm", "tf32", 2)\n'


def test_no_times_are_told_in_a_sentence(tmp_path: pathlib.Path) -> None:
    (tmp_path / "times.jsonl").write_text("")
    done = subprocess.run([sys.executable, HERE / "fit", "stitchcuda", tmp_path / "times.jsonl"], text=True,
                          capture_output=True, check=False)
    assert done.returncode == 1 and "no time has an estimate" in done.stderr
