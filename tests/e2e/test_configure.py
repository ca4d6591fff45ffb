# SPDX-License-Identifier: Apache-2.0
"""`make run` configures on a machine that lacks what only tests need, and PyTorch: each is named and left out."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What find_path() and find_library() are told, so that they do not look; each is what a machine may lack.
LACKING = {
    "tokenizers": ["-DSTITCH_PCRE2_INCLUDE:STRING=OFF", "-DSTITCH_PCRE2_ARCHIVE:STRING=OFF"],
    "torch": ["-DSTITCH_TORCH=/nowhere"],
}


@pytest.mark.parametrize("lacking", LACKING)
def test_configures_without(lacking: str, tmp_path: pathlib.Path) -> None:
    command = ["cmake", "--preset", "release", "-B", str(tmp_path), *LACKING[lacking]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert "stitchcuda-train is left out" in done.stdout
