# SPDX-License-Identifier: Apache-2.0
"""How PyTorch's threads wait in the process that stitchcuda starts."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("STITCHCUDA_BUILD", "build")


class WaitingTest(unittest.TestCase):
    def told_to_python(self, asked: str | None) -> str:
        with tempfile.TemporaryDirectory() as folder:
            python, seen = pathlib.Path(folder, "python"), pathlib.Path(folder, "seen")
            python.write_text(f'#!/bin/sh\necho "$OMP_WAIT_POLICY" >"{seen}"\nexit 1\n')
            python.chmod(0o755)
            environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
            environment |= {"STITCHCUDA_PYTHON": str(python), "STITCHCUDA_CACHE": f"{folder}/cache"}
            environment |= {"OMP_WAIT_POLICY": asked} if asked else {}
            words = [str(BUILD / "stitchcuda"), "import", str(ROOT / "problems" / "mlp_residual.py")]
            subprocess.run(words, env=environment, cwd=folder, capture_output=True, timeout=60, check=False)
            return seen.read_text().strip()

    def test_threads_wait_asleep(self) -> None:
        self.assertEqual(self.told_to_python(None), "passive")

    def test_the_environment_may_have_them_spin(self) -> None:
        self.assertEqual(self.told_to_python("active"), "active")


if __name__ == "__main__":
    unittest.main()
