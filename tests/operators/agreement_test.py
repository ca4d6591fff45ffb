# SPDX-License-Identifier: Apache-2.0
"""What the comparison on special values lets pass, and above all what it does not."""

import unittest

import torch

from operators.agreement import first_disagreement
from operators.sums import terms_of_outputs

INFINITY, NAN = float("inf"), float("nan")


def says(got: float, native: float, exact: float, dtype: torch.dtype = torch.float32, terms: int = 1, **how) -> str:
    """Of one element among others that are ordinary and right."""
    made = [torch.tensor([1.0, -2.0, value], dtype=torch.float64) for value in (got, native, exact)]
    return first_disagreement(
        made[0].to(dtype), made[1].to(dtype), made[2], how.get("with_signs", False), terms, how.get("largest", 0.0)
    )


class PlainNumbers(unittest.TestCase):
    def test_what_is_not_a_number_must_not_be_one(self) -> None:
        self.assertFalse(says(NAN, NAN, NAN))
        self.assertTrue(says(1.0, NAN, NAN))
        self.assertTrue(says(NAN, 1.0, 1.0))
        self.assertTrue(says(INFINITY, NAN, NAN))

    def test_infinities_have_a_sign(self) -> None:
        self.assertFalse(says(INFINITY, INFINITY, INFINITY))
        self.assertTrue(says(-INFINITY, INFINITY, INFINITY))

    def test_zeros_have_one_where_it_is_asked(self) -> None:
        self.assertFalse(says(-0.0, 0.0, 0.0))
        self.assertTrue(says(-0.0, 0.0, 0.0, with_signs=True))

    def test_denormals_are_compared_by_themselves(self) -> None:
        self.assertFalse(says(1e-40, 1e-40, 1e-40))
        self.assertTrue(says(0.0, 1e-40, 1e-40))
        self.assertTrue(says(2e-40, 1e-40, 1e-40))

    def test_sixteen_bits_are_rounded_once_or_twice(self) -> None:
        self.assertFalse(says(3.015625, 3.0, 3.0, torch.bfloat16))
        self.assertTrue(says(3.25, 3.0, 3.0, torch.bfloat16))
        self.assertTrue(says(4.5, 3.0, 3.0, torch.bfloat16, terms=1000))


class Overflow(unittest.TestCase):
    def test_one_of_a_pointwise_operator_is_never_excused(self) -> None:
        self.assertTrue(says(INFINITY, 1e38, 1e38))
        self.assertTrue(says(INFINITY, 3.3e38, 3.3e38))
        self.assertTrue(says(1e38, INFINITY, INFINITY))

    def test_what_is_beyond_the_range_is_infinite(self) -> None:
        self.assertFalse(says(INFINITY, INFINITY, 1e60))
        self.assertFalse(says(INFINITY, 3.4028e38, 3.4028235e38))
        self.assertTrue(says(1e38, INFINITY, 1e60))

    def test_a_sum_may_leave_the_range_before_it_is_divided(self) -> None:
        self.assertFalse(says(INFINITY, 1e38, 1e38, terms=10))
        self.assertFalse(says(-INFINITY, 1e38, 1e38, terms=10))
        self.assertTrue(says(INFINITY, 1e30, 1e30, terms=10))
        self.assertTrue(says(NAN, 1e38, 1e38, terms=10))

    def test_what_is_left_of_larger_terms_has_their_error(self) -> None:
        self.assertTrue(says(3.001e35, 3e35, 3e35, terms=10))
        self.assertFalse(says(3.001e35, 3e35, 3e35, terms=10, largest=3e38))
        self.assertTrue(says(3.001e35, 3e35, 3e35, largest=3e38))
        self.assertTrue(says(3.001, 3.0, 3.0, terms=10, largest=3e38))

    def test_where_pytorch_overflows_on_the_way_ours_is_no_third_number(self) -> None:
        self.assertFalse(says(2.0, NAN, 2.0))
        self.assertFalse(says(INFINITY, NAN, 2.0))
        self.assertTrue(says(5.0, NAN, 2.0))


class Sums(unittest.TestCase):
    def test_terms_are_those_on_the_way_to_an_output(self) -> None:
        graph = (
            'graph g mode=eval\nx: f32[4,8] = input "x"\ny: f32[4,8] = abs(x)  @ file.py:3\n'
            "s: f32[4] = sum(y; dim=[1], keepdim=false)\nz: f32[4] = exp(s)\n"
            "t: f32[4,2], i: i64[4,2] = topk(x; k=2, dim=1, largest=true, sorted=true)\n"
            'return output "0" = y, output "1" = z, output "2.0" = t\n--- batch declared=4\n'
        )
        self.assertEqual(terms_of_outputs(graph), [1, 32, 1])


if __name__ == "__main__":
    unittest.main()
