# SPDX-License-Identifier: Apache-2.0
"""The table of kernels beside the library and a copy, from times that are made up."""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys

RATES = pathlib.Path(__file__).resolve().parent / "rates"


def time(skeleton: str, kind: str, signature: str, us: float, extents: tuple[int, ...] = (64, 64), **other) -> dict:
    return {"device": "H200", "math": "fp32", "skeleton": skeleton, "kind": kind, "variant": kind, "splits": 1,
            "signature": signature, "extents": extents, "flops": 2e9, "bytes": 4e6, "measured_us": us, **other}


TIMES = [
    time("gemm", "tf32x3", "a", 50), time("gemm", "ffma", "a", 80), time("gemm", "cublaslt_fp32", "a", 100),
    time("gemm", "tf32x3", "b", 99, (32, 8)),   # timed again below: the later time counts
    time("gemm", "tf32x3", "b", 40, (32, 8)), time("gemm", "cublaslt_fp32", "b", 20, (32, 8)),
    time("gemm", "tf32x3", "c", 10),            # of which no library was timed
    time("softmax", "row", "d", 2, bytes=4e6), time("softmax", "row", "e", 4, (7, 9), bytes=4e6),
]


def run(tmp_path: pathlib.Path, *words: str) -> subprocess.CompletedProcess:
    file = tmp_path / "times.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in TIMES))
    return subprocess.run([sys.executable, RATES, file, *words], text=True, capture_output=True, check=False)


def test_rates_are_of_the_fastest_setting_and_name_the_least(tmp_path):
    lines = run(tmp_path, "--copy", "H200=2").stdout.splitlines()
    # 100 / 50 and 20 / 40: their geometric mean is 1; 2e9 operations in 10 us are 200 TFLOP/s.
    assert "| fp32 | gemm | 3 | 2 | 1.00 | 1 | 0.50 (tf32x3, 32x8) | 200 |" in lines
    # 4e6 bytes in 2 us are 2 TB/s, in 4 us half of it.
    assert "| softmax | 2 | 0.71 | 1 | 0.50 (row, 7x9) |" in lines


def test_no_copy_no_share_and_a_rate_that_is_none_is_refused(tmp_path):
    assert "copy" not in run(tmp_path).stdout
    done = run(tmp_path, "--copy", "H200")
    assert done.returncode == 1 and "--copy takes DEVICE=TB/s" in done.stderr
