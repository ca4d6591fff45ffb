# SPDX-License-Identifier: Apache-2.0
"""Programs that read `tensor.data`, under the tracer."""

from __future__ import annotations

import unittest

import torch

from stitchcuda_python.graph.data_attribute import data_attribute_as_detached

from .support import ServerCase, model


class Codebook(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(8))
        self.register_buffer("greatest", torch.zeros(8))

    def forward(self, x):
        self.mean.data.mul_(0.5).add_(x.data.mean(0), alpha=0.5)
        self.greatest.data = torch.maximum(self.greatest, x.amax(0))
        return x - self.mean * self.greatest


class DataAttribute(unittest.TestCase):
    def test_reads_and_writes_are_traced(self) -> None:
        x = torch.randn(4, 8)
        with data_attribute_as_detached():
            exported = torch.export.export(Codebook(), (x,), strict=False).run_decompositions({})
        traced, plain = exported.module(), Codebook()
        for _call in range(2):
            torch.testing.assert_close(traced(x), plain(x))
        torch.testing.assert_close(traced.mean, plain.mean)
        torch.testing.assert_close(traced.greatest, plain.greatest)

    def test_outside_the_tracer_and_afterwards_it_is_as_it_was(self) -> None:
        parameter = torch.nn.Parameter(torch.ones(3))
        with data_attribute_as_detached():
            version = parameter._version
            parameter.data.add_(1)
            parameter.data = parameter.data * 2
        self.assertEqual(parameter._version, version)
        self.assertEqual(parameter.tolist(), [4, 4, 4])
        self.assertNotIn("data", torch.Tensor.__dict__)


class Import(ServerCase):
    def test_a_buffer_that_is_written_through_it_is_a_state(self) -> None:
        text = model(
            "self.mean.data.copy_(self.mean.data * 0.5 + x.mean(0)); return x - self.mean",
            "self.register_buffer('mean', torch.zeros(8))",
        )
        answer = self.ok("import", file=self.file(text, "codebook.py"))
        self.assertEqual([output["binding"] for output in answer["outputs"]], ["0", "mean"])


if __name__ == "__main__":
    unittest.main()
