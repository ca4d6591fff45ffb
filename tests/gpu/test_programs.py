# SPDX-License-Identifier: Apache-2.0
"""Our programs at full size on a GPU: verified through the CUDA keeper and worker. A missing GPU is an error here."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("STITCHCUDA", str(ROOT / "build" / "stitchcuda"))


class ProgramsOnGpu(unittest.TestCase):
    def test_every_problem_is_verified_at_full_size(self) -> None:
        for program in sorted((ROOT / "problems").glob("*.py")):
            with self.subTest(program=program.stem), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([BINARY, "optimize", str(program), "--device", "gpu", "--out", f"{folder}/out",
                                       "--json", "--quiet"], text=True, capture_output=True, timeout=500, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                answer = json.loads(done.stdout)
                self.assertEqual(answer["verdict"]["kind"], "ok", answer["verdict"])
                self.assertEqual(answer["device"], "gpu")
                self.assertEqual(answer["scale"], "full")


if __name__ == "__main__":
    unittest.main()
