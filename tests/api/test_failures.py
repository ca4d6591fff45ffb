# SPDX-License-Identifier: Apache-2.0
"""What optimize() raises: the command line's own sentences; an interrupt leaves no process behind."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import torch

from named_seed import SEED

from .support import BUILD
from handed_over import Orthogonal, Scorer, Unstable
import stitchcuda
from stitchcuda.errors import error_from

OPTIONS = {"progress": False, "device": "emulated", "compile_for_gpu": False, "seed": SEED}


def children_with(word: str) -> list[str]:
    """Command lines of processes that mention `word`."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in line and process.parent.name != str(os.getpid()):
            found.append(line)
    return found


class Failures(unittest.TestCase):
    def test_an_operator_that_is_lacking(self) -> None:
        with self.assertRaises(stitchcuda.ProgramError) as caught:
            stitchcuda.optimize(Orthogonal(), torch.eye(4), **OPTIONS)
        error = caught.exception
        self.assertEqual(error.code, "unsupported_operator")
        self.assertIn("qr", error.sentence)
        self.assertIn("handed_over.py", str(error))
        self.assertTrue(str(error).endswith("."))

    def test_the_users_own_mistake_has_its_line(self) -> None:
        with self.assertRaises(stitchcuda.ProgramError) as caught:
            stitchcuda.optimize(Scorer(8), {"x": torch.randn(4, 9)}, **OPTIONS)
        self.assertEqual(caught.exception.code, "program_invalid")
        self.assertRegex(caught.exception.place, r"handed_over\.py:\d+$")
        self.assertIn("self.norm(self.inner(batch[", str(caught.exception))

    def test_not_verified(self) -> None:
        with self.assertRaises(stitchcuda.NotVerified) as caught:
            stitchcuda.optimize(Unstable(), torch.randn(4, 16), **OPTIONS)
        error = caught.exception
        self.assertFalse(error.verdict)
        self.assertEqual(error.code, error.verdict.kind)
        self.assertTrue(str(error).startswith(f"not verified ({error.verdict.kind}): {error.verdict.reason}"), error)
        self.assertIn(f"the same draws again: seed={SEED}", str(error))

    def test_the_sentence_is_the_command_lines(self) -> None:
        program = str(BUILD / "stitchcuda")
        asked = [program, "optimize", "/nowhere/model.py", "--json"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        said = next(line for line in done.stderr.splitlines() if line.startswith("stitchcuda: "))
        answer = json.loads(done.stdout)
        self.assertEqual(f"stitchcuda: {error_from(answer['error'])}", said)

    def test_other_options_are_refused(self) -> None:
        with self.assertRaisesRegex(stitchcuda.UsageError, "math"):
            stitchcuda.optimize(Scorer(8), {"x": torch.randn(4, 8)}, math="exact", **OPTIONS)

    def test_an_interrupt_leaves_nothing_running(self) -> None:
        def interrupt(line: str) -> None:
            if re.match(r"  (plan|build)", line):
                raise KeyboardInterrupt

        with tempfile.TemporaryDirectory(prefix="stitchcuda-interrupted-") as out:
            with self.assertRaises(KeyboardInterrupt):
                options = {**OPTIONS, "progress": interrupt}
                stitchcuda.optimize(Scorer(8), {"x": torch.randn(4, 8)}, out=out, **options)
            self.assertEqual(children_with(out), [])


if __name__ == "__main__":
    unittest.main()
