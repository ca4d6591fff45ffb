# SPDX-License-Identifier: Apache-2.0
"""Modules of fake tensors can be converted to another element type, as constructors of 16-bit models do."""

from __future__ import annotations

import unittest

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from stitchcuda_python.program.conversion import converting_fake_parameters


class _Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.table.weight
        self.norm = nn.BatchNorm1d(4)
        self.register_parameter("nothing", None)


class ConversionTest(unittest.TestCase):
    def test_parameters_and_buffers_change_type_and_ties_stay(self) -> None:
        with FakeTensorMode(), converting_fake_parameters():
            module = _Tied().bfloat16()
        self.assertIs(module.head.weight, module.table.weight)
        self.assertEqual({tensor.dtype for tensor in module.parameters()}, {torch.bfloat16})
        self.assertEqual(module.norm.running_mean.dtype, torch.bfloat16)
        self.assertEqual(module.norm.num_batches_tracked.dtype, torch.int64)
        self.assertIsNone(module.nothing)

    def test_real_modules_are_converted_by_pytorch_itself(self) -> None:
        module = _Tied()
        weight = module.head.weight
        before = nn.Module._apply
        with converting_fake_parameters():
            module.half()
        self.assertIs(module.head.weight, weight)
        self.assertIs(nn.Module._apply, before)
        self.assertEqual(weight.dtype, torch.float16)


if __name__ == "__main__":
    unittest.main()
