# SPDX-License-Identifier: Apache-2.0
"""Integers and flags of draws: the whole range that their use allows, and no more."""

from __future__ import annotations

from typing import Any

import torch
from stitchcuda_python.oracle.constants import REGIMES

from .support import ServerCase, model, read


class IntegersTest(ServerCase):
    def drawn(self, body: str, second: str, dtype: torch.dtype = torch.int64) -> list[torch.Tensor]:
        """The second input, `second` where the file draws it, in each draw of a program that also has x[40, 8]."""
        given = f"def get_inputs():\n    return [torch.randn(40, 8), {second}]\n"
        inputs = given + "def get_init_inputs():\n    return []\n"
        text = model(f"return {body}", inputs=inputs).replace("forward(self, x)", "forward(self, x, i)")
        opened = self.open(self.file(text, "integers.py"))
        return [self._second(opened, regime, number, dtype) for regime in REGIMES[1:] for number in range(5)]

    def _second(self, opened: dict[str, Any], regime: str, number: int, dtype: torch.dtype) -> torch.Tensor:
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime=regime, draw=number)
        self.assertIsNone(drawn["dropped"])
        self.assertIsNone(drawn["fallback"])
        return read(drawn["inputs"][1], dtype, opened["inputs"][1]["shape"])

    def test_positions_count_from_the_end_where_the_operator_lets_them(self) -> None:
        made = self.drawn("x[i] * 2", "torch.arange(30)")
        self.assertEqual((min(int(i.min()) for i in made), max(int(i.max()) for i in made)), (-40, 39))
        made = self.drawn("torch.index_select(x, 0, i) * 2", "torch.arange(30)")
        self.assertEqual((min(int(i.min()) for i in made), max(int(i.max()) for i in made)), (0, 39))

    def test_they_are_all_alike_falling_or_mixed(self) -> None:
        made = self.drawn("torch.index_select(x, 0, i) * 2", "torch.arange(30)")
        self.assertTrue(any(len(i.unique()) == 1 for i in made))
        falling = [bool((i.diff() <= 0).all()) and len(i.unique()) > 9 for i in made]
        self.assertTrue(any(falling))
        self.assertTrue(any(bool((i.diff() < 0).any()) and bool((i.diff() > 0).any()) for i in made))

    def test_numbers_are_wide_and_of_either_sign(self) -> None:
        made = self.drawn("x * (i * 3 + 1)", "torch.randint(1, 5, (40, 8))")
        self.assertLess(min(int(i.min()) for i in made), -10000)
        self.assertGreater(max(int(i.max()) for i in made), 10000)

    def test_what_leads_into_a_table_by_arithmetic_stays_in_the_range_of_the_file(self) -> None:
        made = self.drawn("x[(i - 1) * 2]", "torch.randint(1, 5, (40,))")
        self.assertTrue(all(1 <= int(i.min()) and int(i.max()) <= 4 for i in made))

    def test_lengths_may_be_zero_and_no_longer_than_the_file_has_them(self) -> None:
        made = self.drawn("x * (torch.arange(8) < i[:, None])", "torch.randint(2, 8, (40,))")
        self.assertEqual(min(int(i.min()) for i in made), 0)
        self.assertLess(max(int(i.max()) for i in made), 8)

    def test_bags_are_empty_and_long(self) -> None:
        body = "torch.nn.functional.embedding_bag(torch.arange(60) % 40, x, i, mode='sum')"
        made = self.drawn(body, "torch.tensor([0, 20, 25, 30])")
        for offsets in made:
            self.assertEqual(int(offsets[0]), 0)
            self.assertTrue(bool((offsets.diff() >= 0).all()) and int(offsets.max()) <= 60)
        self.assertTrue(any(bool((offsets.diff() == 0).any()) for offsets in made))
        self.assertGreater(len({tuple(offsets.tolist()) for offsets in made}), 10)
        closed = self.drawn(body.replace("mode", "include_last_offset=True, mode"), "torch.tensor([0, 20, 25, 60])")
        self.assertTrue(all(int(offsets[-1]) == 60 for offsets in closed))

    def test_flags_are_of_every_density(self) -> None:
        made = self.drawn("torch.where(i, x, -x)", "torch.rand(40, 8) < 0.5", torch.bool)
        shares = {round(float(i.float().mean()), 1) for i in made}
        self.assertTrue({0.0, 0.1, 0.5, 0.9, 1.0} <= shares, shares)
