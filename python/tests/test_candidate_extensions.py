# SPDX-License-Identifier: Apache-2.0
"""Extensions call the emulated device's CUDA runtime, and are refused where they would call another."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

_RUNTIME = "int cudaLaunchKernel(void) { return 0; }\n"
_ASKS = """
import ctypes, sys
from stitchcuda_candidate.channel import Fault
from stitchcuda_candidate.extensions import Extensions
if len(sys.argv) > 1:
    ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)  # as a PyTorch built with CUDA does
extensions = Extensions({}, collects=True)
extensions.install()
try:
    extensions.load_inline("name", "int zero() { return 0; }", functions=["zero"])
    print("asked for", len(extensions.requests))
except Fault as fault:
    print(fault.location, fault)
"""


def built(folder: str, name: str) -> str:
    source = pathlib.Path(folder) / f"{name}.c"
    source.write_text(_RUNTIME)
    library = source.with_suffix(".so")
    subprocess.run(["g++", "-x", "c", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return str(library)


class TheRuntimeThatExtensionsCall(unittest.TestCase):
    def ask(self, *before: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, STITCHCUDA_EMULATOR=built(folder, "emulator"))
            others = [built(folder, name) for name in before]
            command = [sys.executable, "-c", _ASKS, *others]
            done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_emulated_one_alone(self) -> None:
        self.assertEqual(self.ask(), "asked for 1\n")

    def test_another_one_that_came_first(self) -> None:
        told = self.ask("cudart")
        self.assertTrue(told.startswith("unsupported PyTorch has a CUDA runtime of its own here"), told)


if __name__ == "__main__":
    unittest.main()
