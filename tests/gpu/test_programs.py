# SPDX-License-Identifier: Apache-2.0
"""Our programs at full size on a GPU: verified through the CUDA keeper and worker."""

import json
import pathlib
import subprocess

import pytest
from named_seed import with_seed

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_S = 500


@pytest.mark.gpu
@pytest.mark.parametrize("program", sorted((ROOT / "problems").glob("*.py")), ids=lambda program: program.stem)
def test_program(program: pathlib.Path, build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    command = [build / "stitchcuda", *with_seed("optimize", program, "--device", "gpu", "--out", tmp_path / "out"),
               "--json", "--quiet"]
    done = subprocess.run(command, text=True, capture_output=True, timeout=MAX_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert answer["verdict"]["kind"] == "ok", answer["verdict"]
    assert (answer["device"], answer["scale"]) == ("gpu", "full")
