# SPDX-License-Identifier: Apache-2.0
"""stitchcuda.optimize on the emulated device, through the real program."""

import copy
import html
import json
import pathlib
import tempfile
import unittest

import torch

from .support import BUILD  # noqa: F401 - sets the path
from handed_over import Scored, Scorer, halved
import stitchcuda

WIDTH = 24


def batch(rows: int = 6) -> dict:
    return {"x": torch.randn(rows, WIDTH)}


class OptimisedModule(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        torch.manual_seed(5)
        cls.said: list[str] = []
        cls.mine = Scorer(WIDTH)
        cls.fast = stitchcuda.optimize(
            cls.mine,
            batch(),
            example_kwargs={"scale": 2.0},
            device="emulated",
            compile_for_gpu=False,
            progress=cls.said.append,
        )

    def test_says_how_it_was_verified(self) -> None:
        verdict = self.fast.verdict
        self.assertTrue(verdict.ok and verdict)
        self.assertEqual((verdict.kind, verdict.device, verdict.math), ("ok", "emulated", "fp32"))
        self.assertGreaterEqual(verdict.draws, 20)
        seeds = json.loads(pathlib.Path(self.fast.folder, "evidence", "seeds.json").read_text())
        self.assertEqual(verdict.seed, seeds["seed"])
        self.assertFalse(any(str(verdict.seed) in line for line in self.said), self.said)
        self.assertLessEqual(verdict.error_ratio, 4)
        self.assertIn(f"{verdict.draws} draws", str(verdict))
        self.assertTrue(any(line.startswith("  import    scorer.py") for line in self.said), self.said)
        self.assertIn(html.escape(str(verdict)), self.fast._repr_html_())
        self.assertTrue(pathlib.Path(self.fast.report).exists())

    def test_computes_what_the_module_computes_and_updates_its_state(self) -> None:
        eager = copy.deepcopy(self.mine)
        given = batch()
        with torch.no_grad():
            expected, got = eager(given, scale=2.0), self.fast(given, scale=2.0)
        self.assertIs(type(got), Scored)
        torch.testing.assert_close(got.scores, expected.scores, rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(got.hidden[0], expected.hidden[0], rtol=1e-5, atol=1e-5)
        for name, value in eager.state_dict().items():
            torch.testing.assert_close(self.fast.state_dict()[name], value, rtol=1e-5, atol=1e-5)
            torch.testing.assert_close(self.mine.state_dict()[name], value, rtol=1e-5, atol=1e-5)

    def test_stands_for_the_module(self) -> None:
        self.assertIsInstance(self.fast, Scorer)
        self.assertIs(self.fast.inner.weight, self.mine.inner.weight)
        self.assertEqual(list(self.fast.state_dict()), list(self.mine.state_dict()))
        with torch.no_grad():
            self.mine.inner.bias.add_(1.0)
            given = batch()
            eager = copy.deepcopy(self.mine)
            torch.testing.assert_close(self.fast(given, scale=2.0).scores, eager(given, scale=2.0).scores)

    def test_arguments_may_be_named_and_other_ones_are_refused(self) -> None:
        given = batch()
        with torch.no_grad():
            self.assertEqual(self.fast(batch=given, bias=None, scale=2.0).scores.shape, (6, WIDTH))
            with self.assertRaisesRegex(RuntimeError, "without the argument bias"):
                self.fast(given, torch.zeros(WIDTH), scale=2.0)
            with self.assertRaisesRegex(stitchcuda.Refused, "made for the argument 2.0; it was given 3.0"):
                self.fast(given, scale=3.0)
            with self.assertRaisesRegex(stitchcuda.Refused, "was made for the argument 2.0; it was given 1.0"):
                self.fast(given)
        with self.assertRaisesRegex(stitchcuda.Refused, "forward pass only"):
            self.fast(given, scale=2.0)

    def test_a_saved_copy_stands_alone(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            saved = pathlib.Path(self.fast.save(folder))
            self.assertIn(f'"{saved}/captured/scorer.py"', (saved / "task.json").read_text())
            self.assertTrue((saved / "model_new.py").is_file())
            with self.assertRaisesRegex(stitchcuda.UsageError, "is not empty"):
                self.fast.save(folder)


class OptimisedFunction(unittest.TestCase):
    def test_a_function_becomes_a_module(self) -> None:
        fast = stitchcuda.optimize(
            halved, (torch.randn(9, 5), torch.randn(5)), progress=False, device="emulated", compile_for_gpu=False
        )
        x, bias = torch.randn(9, 5), torch.randn(5)
        torch.testing.assert_close(fast(x, bias=bias), halved(x, bias))
        self.assertRegex(fast.verdict.batch, r"on one binary, declared as 9")
        torch.testing.assert_close(fast(x[:4], bias), halved(x[:4], bias))


if __name__ == "__main__":
    unittest.main()
