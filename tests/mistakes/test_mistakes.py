# SPDX-License-Identifier: Apache-2.0
"""Evaluator mistakes that only Python can make. Each test is named after its row of README.md."""

from __future__ import annotations

import ast
import pathlib
import sys
import types
import unittest

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "programs"))
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "python" / "tests"))
import program as programs  # noqa: E402
import support  # noqa: E402
import time_program  # noqa: E402
from stitchcuda_python.candidate.source_facts import source_facts  # noqa: E402


class M01OneConfiguration(unittest.TestCase):
    """Candidate and baselines run under flags that the mode sets, all of them, and that the answer records."""

    def tearDown(self) -> None:
        programs.set_math("fp32")

    def test_the_mode_decides_whatever_was_set_before(self) -> None:
        seen = set()
        for mode in ("fp32", "kernelbench", "tf32", "reduced"):
            for before in (False, True):
                torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = before
                torch.backends.cudnn.benchmark = torch.backends.cudnn.deterministic = before
                torch.use_deterministic_algorithms(before)
                programs.set_math(mode)
                seen.add((mode, programs.flags()))
                self.assertFalse(torch.are_deterministic_algorithms_enabled())
        self.assertEqual(len(seen), 4)
        self.assertIn(
            ("fp32", "matmul.allow_tf32 False, cudnn.allow_tf32 False, cudnn.benchmark False"),
            seen,
        )


class M05AndM24Turns(unittest.TestCase):
    """The loop that times baselines beside us, with a clock of our own."""

    def setUp(self) -> None:
        self.calls: list[str] = []
        self.kept = time_program.sample_us, time_program.make_flush
        time_program.make_flush = lambda: None
        time_program.sample_us = self.sample

    def tearDown(self) -> None:
        time_program.sample_us, time_program.make_flush = self.kept

    def sample(self, _subject: object, function: object, _flush: object) -> float:
        name = function()
        self.calls.append(name)
        return 1000.0 if self.calls.count(name) <= time_program.WARM_UP else 10.0

    def samples(self) -> dict[str, list[float]]:
        return time_program.interleaved(types.SimpleNamespace(), {"ours": lambda: "ours", "eager": lambda: "eager"})

    def test_m05_what_first_calls_allocate_is_counted_for_neither(self) -> None:
        for values in self.samples().values():
            self.assertEqual(values, [10.0] * time_program.SAMPLES)

    def test_m24_the_order_turns_round(self) -> None:
        self.samples()
        self.assertEqual(self.calls[:8], ["ours", "eager", "eager", "ours"] * 2)


class M12AReferenceThatDoesNotRepeatItself(support.ServerCase):
    """A program whose answer differs from run to run without a random operator has no right answer."""

    def test_it_is_found_before_anything_is_judged(self) -> None:
        text = "import random\n" + support.model("return x * random.random()")
        refused = self.error("oracle.open", file=self.file(text, "dice.py"), folder=self.folder)
        self.assertIn("computes something else each time", refused["sentence"])

    def test_one_that_repeats_itself_passes(self) -> None:
        self.assertTrue(self.open(self.file(support.model("return x * 0.5"), "half.py"))["gate"]["ok"])


class M18TheSameCodeSpelledTwoWays(unittest.TestCase):
    """Names are resolved: what a candidate calls a module by changes nothing."""

    def test_containers_and_calls(self) -> None:
        body = "class ModelNew({nn}.Module):\n    def __init__(self):\n        self.c = {nn}.Conv3d(3, 4, 5)\n"
        call = "    def forward(self, x):\n        return {f}.relu(x)\n"
        spelled = [
            "import torch\n" + body.format(nn="torch.nn") + call.format(f="torch.nn.functional"),
            "from torch import nn\n" + body.format(nn="nn") + call.format(f="nn.functional"),
            "import torch.nn as nn\n" + body.format(nn="nn") + call.format(f="nn.functional"),
        ]
        told = [[fact.what for fact in source_facts(ast.parse(text), "model_new.py")] for text in spelled]
        self.assertEqual(told[0], ["calls torch.nn.functional (torch.nn.functional.relu)"])
        self.assertEqual(told[1:], told[:1] * 2)


if __name__ == "__main__":
    unittest.main()
