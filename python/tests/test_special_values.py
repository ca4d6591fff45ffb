# SPDX-License-Identifier: Apache-2.0
"""NaN, infinities and subnormal numbers among the inputs of draws."""

from __future__ import annotations

import torch

from .support import ServerCase, model, read


class SpecialValuesTest(ServerCase):
    def drawn(self, forward: str) -> list[torch.Tensor]:
        """The input in the last two draws of sparse_extreme."""
        inputs = "def get_inputs():\n    return [torch.randn(64, 8)]\ndef get_init_inputs():\n    return []\n"
        opened = self.open(self.file(model(forward, inputs=inputs), "special.py"))
        made = []
        for number in (3, 4):
            drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="sparse_extreme", draw=number)
            self.assertIsNone(drawn["dropped"])
            made.append(read(drawn["inputs"][0], torch.float32, [64, 8]))
        return made

    def test_elementwise_rules_are_asked_for_all_of_them(self) -> None:
        first, second = self.drawn("return torch.where(x > 0, x * 2, x + 1)")
        self.assertTrue(bool(torch.isposinf(first).any()) and bool(torch.isneginf(first).any()))
        self.assertTrue(bool(((first != 0) & (first.abs() < 1e-38)).any()))
        self.assertFalse(bool(torch.isnan(first).any()))
        self.assertTrue(bool(torch.isnan(second).any()))

    def test_what_takes_the_larger_is_not_asked_about_nan(self) -> None:
        for made in self.drawn("return torch.relu(x)"):
            self.assertTrue(bool(torch.isinf(made).any()))
            self.assertFalse(bool(torch.isnan(made).any()))

    def test_sums_are_asked_about_few_of_them(self) -> None:
        for forward in ("return x.sum(1)", "return (x + 1).mean(0)"):
            first, second = self.drawn(forward)
            self.assertTrue(0 < int(torch.isposinf(first).sum()) <= 8, forward)
            self.assertFalse(bool(torch.isneginf(first).any() or torch.isnan(first).any()), forward)
            self.assertTrue(bool(torch.isnan(second).any()), forward)

    def test_what_may_leave_terms_out_and_infinities_that_cancel_are_not_asked(self) -> None:
        for forward in ("return (x * x).sum(1)", "return x @ x.T", "return torch.softmax(x, 1)", "return x - x"):
            made = self.drawn(forward)
            self.assertTrue(bool(torch.isfinite(made[0]).all()), forward)

    def test_quotients_and_logarithms_are_asked_about_zeros_of_either_sign(self) -> None:
        for forward in ("return 1 / x", "return torch.log(x.abs())", "return x / (x + 1)", "return torch.rsqrt(x)"):
            for made in self.drawn(forward):
                zeros = torch.signbit(made[made == 0])
                self.assertTrue(bool(zeros.any()) and not bool(zeros.all()), forward)
                self.assertTrue(bool(torch.isinf(made).any() and torch.isnan(made).any()), forward)
                self.assertFalse(bool(((made != 0) & (made.abs() < 1e-38)).any()), forward)

    def test_exponentials_of_quotients_are_not_asked(self) -> None:
        for made in self.drawn("return torch.exp(1 / x)"):
            self.assertTrue(bool(torch.isfinite(made).all()))
