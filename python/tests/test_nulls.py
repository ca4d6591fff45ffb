# SPDX-License-Identifier: Apache-2.0
"""What null candidates answer, and which of them a program has."""

from __future__ import annotations

import unittest
from typing import Any

import torch
from stitchcuda_python.oracle.nulls import answers
from stitchcuda_python.oracle.nulls.answers import Answer, leaves_alone
from stitchcuda_python.oracle.nulls.shortcuts import SampledSum, ShortContraction, rounded

from .support import DTYPES, ServerCase, model, read


def _answer(right: torch.Tensor, other: torch.Tensor | None = None, **inputs: torch.Tensor) -> Answer:
    source = torch.Generator().manual_seed(1)
    return Answer(right, torch.flip(right, [0]) if other is None else other, inputs, source)


class AnswersTest(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(0)
        self.right = torch.randn(8, 8)

    def test_inputs_are_repeated_and_cropped(self) -> None:
        wide = torch.arange(6.0).reshape(2, 3)
        taken = answers.an_input("x")
        self.assertEqual(taken(_answer(torch.zeros(2, 2), x=wide)).tolist(), [[0, 1], [3, 4]])
        self.assertEqual(taken(_answer(torch.zeros(4, 3), x=wide)).tolist(), [[0, 1, 2]] * 2 + [[3, 4, 5]] * 2)
        self.assertEqual(taken(_answer(torch.zeros(4), x=wide)).tolist(), [0, 1, 2, 3])
        self.assertEqual(taken(_answer(torch.zeros(()), x=wide)).tolist(), 0)

    def test_a_scaled_input_has_the_factor_that_suits_best(self) -> None:
        made = answers.scaled_input("x")(_answer(3 * self.right, x=self.right))
        self.assertTrue(torch.allclose(made, 3 * self.right))
        self.assertTrue(bool((answers.scaled_input("x")(_answer(self.right, x=0 * self.right)) == 0).all()))

    def test_every_damage_changes_the_answer_and_nothing_else(self) -> None:
        for make in (answers.wrong_tile, answers.flipped, answers.shifted, answers.transposed, answers.saturated):
            made = make(_answer(self.right))
            self.assertEqual(made.shape, self.right.shape)
            self.assertFalse(leaves_alone(self.right, made), make.__name__)
        self.assertEqual(int((answers.half_right(_answer(self.right)) == self.right).sum()), 32)
        self.assertEqual(int((answers.wrong_tile(_answer(self.right)) != self.right).sum()), 1)
        self.assertTrue(torch.equal(answers.scaled(_answer(self.right)), self.right * 1.05))

    def test_damage_that_does_none_is_seen(self) -> None:
        symmetric = self.right + self.right.T
        self.assertTrue(leaves_alone(symmetric, answers.transposed(_answer(symmetric))))
        repeated = self.right[:1].expand(8, 8).contiguous()
        self.assertTrue(leaves_alone(repeated, answers.shifted(_answer(repeated))))
        self.assertTrue(leaves_alone(repeated, answers.column_mean(_answer(repeated))))
        self.assertFalse(leaves_alone(torch.zeros(4), torch.full((4,), 1e-30)))

    def test_what_has_no_meaning_is_left_out(self) -> None:
        whole = torch.arange(6)
        for make in (answers.row_mean, answers.scaled, answers.saturated, answers.filled(float("nan"))):
            self.assertIsNone(make(_answer(whole)))
        self.assertIsNone(answers.transposed(_answer(torch.zeros(2, 3))))
        self.assertIsNone(answers.shifted(_answer(torch.zeros(()))))


class ShortcutsTest(unittest.TestCase):
    def test_sums_see_the_first_hundredth_of_their_terms(self) -> None:
        terms = torch.cat([torch.full((2, 2), 5.0), torch.zeros(198, 2)])
        arithmetic = SampledSum()
        self.assertEqual(arithmetic.sum(terms, [0]).tolist(), [1000.0, 1000.0])
        self.assertEqual(arithmetic.sum(terms, [0], keepdim=True).shape, (1, 2))
        self.assertTrue(arithmetic.used)
        alone = SampledSum()
        self.assertTrue(torch.equal(alone.sum(terms[:1], [0]), terms[0]))
        self.assertFalse(alone.used)

    def test_contractions_leave_a_tenth_out_and_make_good_for_it(self) -> None:
        arithmetic = ShortContraction(torch.Generator().manual_seed(0))
        made = arithmetic.matmul(torch.ones(4, 10000), torch.ones(10000, 4))
        self.assertTrue(bool(((made - 10000).abs() < 300).all()) and bool((made != 10000).any()))
        self.assertTrue(arithmetic.used)

    def test_rounding_keeps_as_many_bits_as_it_says(self) -> None:
        wide = torch.tensor([1 + 2**-10, 1 + 2**-11 + 2**-20, 1 + 2**-12, float("inf"), float("nan")])
        made = rounded(wide, {torch.float32: 10})
        self.assertEqual(made[:3].tolist(), [1 + 2**-10, 1 + 2**-10, 1.0])
        self.assertTrue(bool(made[3] == float("inf")) and bool(made[4].isnan()))
        self.assertEqual(rounded(torch.tensor([1.0625], dtype=torch.bfloat16), {torch.bfloat16: 3}).item(), 1.0)
        self.assertEqual(rounded(torch.tensor([3]), {torch.float32: 3}).tolist(), [3])


class CatalogueTest(ServerCase):
    def nulls(self, text: str) -> tuple[dict[str, Any], dict[str, str]]:
        opened = self.open(self.file(text))
        listed = self.ok("oracle.nulls", oracle=opened["oracle"])["nulls"]
        return opened, {null["key"]: null["about"] for null in listed}

    def answer(self, opened: dict[str, Any], key: str) -> list[torch.Tensor] | None:
        made = self.ok("oracle.null", oracle=opened["oracle"], key=key)
        if not made["applies"]:
            return None
        return [read(path, DTYPES[spec["dtype"]], spec["shape"]) for path, spec in zip(made["run"], opened["outputs"])]

    def test_a_layer_has_its_own(self) -> None:
        opened, nulls = self.nulls(model("return torch.relu(self.l(x)) + x", "self.l = nn.Linear(8, 8)"))
        for key in ("N01", "N05:x", "N08:l_weight", "N09:l_bias", "N10:0", "N10:1", "N12:0", "N19:nan"):
            self.assertIn(key, nulls)
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)
        x = read(drawn["inputs"][0], torch.float32, [4, 8])
        self.assertTrue(torch.equal(self.answer(opened, "N05:x")[0], x))
        self.assertTrue(torch.equal(self.answer(opened, "N10:0")[0], torch.relu(x) + x))
        self.assertTrue(bool(torch.equal(self.answer(opened, "N01")[0], torch.zeros(4, 8))))
        self.assertIsNone(self.answer(opened, "N15:0"))
        self.assertIsNone(self.answer(opened, "N12:1"))
        self.assertIsNone(self.answer(opened, "N18"))

    def test_an_input_of_another_draw_is_the_answer_to_it(self) -> None:
        opened, _ = self.nulls(model("return x * 2"))
        self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)
        self.assertTrue(torch.equal(self.answer(opened, "N08:x")[0], self.answer(opened, "N07")[0]))

    def test_a_scaling_is_no_null_of_itself(self) -> None:
        self.assertNotIn("N06:x", self.nulls(model("return x * 2"))[1])
        self.assertIn("N06:x", self.nulls(model("return x * 2 + 1"))[1])

    def test_random_numbers_can_be_left_out(self) -> None:
        opened, nulls = self.nulls(model("return torch.nn.functional.dropout(x, 0.5, True)"))
        removed = next(key for key in nulls if key.startswith("N22:"))
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)
        x = read(drawn["inputs"][0], torch.float32, [4, 8])
        self.assertTrue(torch.equal(self.answer(opened, removed)[0], x))


if __name__ == "__main__":
    unittest.main()
