# SPDX-License-Identifier: Apache-2.0
"""What the rules of disturbed runs give where a call asks for a type."""

from __future__ import annotations

import unittest
from typing import Any

import torch
from stitchcuda_python.oracle.arithmetic import Arithmetic
from stitchcuda_python.oracle.disturb import Disturbance, apply_rule
from stitchcuda_python.oracle.rounding import ROUNDINGS

aten = torch.ops.aten
TYPES = (torch.bfloat16, torch.float16, torch.float32, torch.float64)
BY_KEYWORD: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (aten.sum.dim_IntList, ([1],)),
    (aten.mean.dim, ([1],)),
    (aten.cumsum.default, (1,)),
    (aten.cumprod.default, (1,)),
    (aten.prod.dim_int, (1,)),
    (aten.linalg_vector_norm.default, (2, [1])),
)
BY_PLACE: tuple[tuple[Any, tuple[Any, ...]], ...] = ((aten.softmax.int, (1,)), (aten.log_softmax.int, (1,)))


class TypeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.arithmetic = Arithmetic(torch.Generator().manual_seed(1), ROUNDINGS["fp32"])

    def check(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        with self.subTest(target=str(target), args=str(args[1:]), type=args[0].dtype, asked=kwargs.get("dtype")):
            wanted = target(*args, **kwargs)
            with Disturbance(self.arithmetic)._inside:
                made = target(*args, **kwargs)
            self.assertEqual(made.dtype, wanted.dtype)
            error = (made.double() - wanted.double()).abs().max().item()
            self.assertLess(error, 64 * torch.finfo(min(args[0].dtype, wanted.dtype, key=_bits)).eps)

    def test_results_have_the_type_that_the_call_asks_for(self) -> None:
        for dtype in TYPES:
            x = torch.rand(5, 9, dtype=torch.float64).to(dtype)
            for asked in (None, *TYPES):
                is_wider = asked is None or torch.promote_types(dtype, asked) == asked
                for target, args in BY_KEYWORD if is_wider else BY_KEYWORD[:-1]:  # a norm takes no narrower type
                    self.check(target, (x, *args), {} if asked is None else {"dtype": asked})
                for target, args in BY_PLACE:
                    self.check(target, (x, *args, asked), {})

    def test_a_sum_in_fp32_of_16_bits_is_disturbed(self) -> None:
        x = torch.rand(64, 999).bfloat16()
        made = apply_rule(self.arithmetic, aten.sum.dim_IntList, [x, [1]], {"dtype": torch.float32})
        self.assertFalse(torch.equal(made, x.sum(1, dtype=torch.float32)))


def _bits(dtype: torch.dtype) -> int:
    return torch.finfo(dtype).bits


if __name__ == "__main__":
    unittest.main()
