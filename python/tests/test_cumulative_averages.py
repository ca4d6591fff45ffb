# SPDX-License-Identifier: Apache-2.0
"""Batch norms without a momentum, under the tracer."""

from __future__ import annotations

import unittest

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

from stitchcuda_python.graph.cumulative_averages import cumulative_averages_by_count

from .support import ServerCase, model

STATES = ["norm.num_batches_tracked", "norm.running_mean", "norm.running_var"]


def traced(module: nn.Module, x: torch.Tensor) -> nn.Module:
    with cumulative_averages_by_count():
        return torch.export.export(module, (x,), strict=False).run_decompositions({}).module(check_guards=False)


class CumulativeAverages(unittest.TestCase):
    def test_each_call_counts_as_much_as_those_before(self) -> None:
        forms = [
            (lambda: nn.BatchNorm1d(5, momentum=None), (7, 5)),
            (lambda: nn.BatchNorm2d(5, momentum=None, affine=False), (3, 5, 4, 6)),
            (lambda: nn.BatchNorm3d(5, eps=0.1, momentum=None, dtype=torch.float64), (2, 5, 3, 4, 2)),
        ]
        for make, shape in forms:
            plain, own = make(), make()
            dtype = plain.running_mean.dtype
            with self.subTest(str(plain)):
                called = traced(own, torch.randn(shape, dtype=dtype))
                for call in range(4):
                    x = torch.randn(shape, dtype=dtype) * (call + 1) + call
                    torch.testing.assert_close(called(x), plain(x))
                held = dict(called.named_buffers())
                for name, wanted in plain.named_buffers():
                    torch.testing.assert_close(held[name], wanted)

    def test_in_eval_mode_it_reads_its_statistics(self) -> None:
        norm = nn.BatchNorm1d(5, momentum=None).eval()
        norm.running_mean.normal_()
        x = torch.randn(7, 5)
        torch.testing.assert_close(traced(norm, x)(x), norm(x))
        self.assertEqual(norm.num_batches_tracked.item(), 0)

    def test_what_eager_refuses_is_refused_and_afterwards_it_is_as_it_was(self) -> None:
        plain = _BatchNorm.forward
        with self.assertRaisesRegex(ValueError, "expected 4D input"):
            traced(nn.BatchNorm2d(5, momentum=None), torch.randn(7, 5))
        self.assertIs(_BatchNorm.forward, plain)


class Import(ServerCase):
    def test_the_statistics_and_their_count_are_states(self) -> None:
        text = model("return self.norm(x)", "self.norm = nn.BatchNorm1d(8, momentum=None)")
        path = self.file(text, "cumulative.py")
        bindings = [output["binding"] for output in self.ok("import", file=path)["outputs"]]
        self.assertEqual(sorted(bindings[1:]), STATES)
        bindings = [output["binding"] for output in self.ok("import", file=path, mode="eval")["outputs"]]
        self.assertEqual(bindings, ["0"])


if __name__ == "__main__":
    unittest.main()
