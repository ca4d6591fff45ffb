# SPDX-License-Identifier: Apache-2.0
"""Which axis of a program's inputs may be the batch, over which range, and why some programs have none."""

from __future__ import annotations

import os
import unittest

import sympy
from stitchcuda_python.shapes.follow import BATCH, holds_around, line

from .support import HEADER, ServerCase, model

NO_INITIAL = "def get_init_inputs():\n    return []\n"


def inputs(*shapes: str) -> str:
    """The end of a file whose inputs have these shapes."""
    tensors = ", ".join(f"torch.randn({shape})" for shape in shapes)
    return f"def get_inputs():\n    return [{tensors}]\n{NO_INITIAL}"


class BatchAxisTest(ServerCase):
    def batch(self, forward: str, *shapes: str, constructor: str = "pass") -> dict:
        """The answer for a model of one input and one line, or of two inputs x and y."""
        text = model(forward, constructor, inputs(*shapes))
        if len(shapes) == 2:
            text = text.replace("forward(self, x)", "forward(self, x, y)")
        # A file of its own each time: one export answers all that is asked of a file.
        return self.ok("batch_axis", file=self.file(text, f"program_{len(os.listdir(self.folder))}.py"))

    def axes(self, answer: dict) -> list[tuple[int, int, int, int]]:
        return [(axis["input"], axis["axis"], axis["base"], axis["per_batch"]) for axis in answer["axes"]]

    def test_the_first_axis_where_it_may_change(self) -> None:
        made = self.batch("return self.w(x).softmax(-1)", "16, 8", constructor="self.w = nn.Linear(8, 5)")
        self.assertEqual(self.axes(made), [(0, 0, 0, 1)])
        self.assertEqual((made["declared"], made["low"], made["high"]), (16, 2, None))

    def test_another_axis_where_the_first_may_not(self) -> None:
        made = self.batch("return torch.cat([part * 2 for part in x.unbind(0)])", "6, 9, 4")
        self.assertEqual(self.axes(made), [(0, 1, 0, 1)])
        self.assertEqual(made["declared"], 9)

    def test_inputs_share_a_batch(self) -> None:
        made = self.batch("return x.view(-1, 4) @ y.view(4, -1)", "6, 4", "6, 4")
        self.assertEqual(self.axes(made), [(0, 0, 0, 1), (1, 0, 0, 1)])

    def test_a_declared_batch_of_one(self) -> None:
        made = self.batch("return self.w(x)", "1, 9, 8", constructor="self.w = nn.Linear(8, 5)")
        self.assertEqual(self.axes(made), [(0, 0, 0, 1)])
        self.assertEqual((made["declared"], made["low"]), (1, 2))

    def test_a_batch_of_one_behind_the_layers(self) -> None:
        forward = "return self.r(x, y)[0]"
        made = self.batch(forward, "1, 5, 8", "2, 1, 6", constructor="self.r = nn.GRU(8, 6, 2, batch_first=True)")
        self.assertEqual(self.axes(made), [(0, 0, 0, 1), (1, 1, 0, 1)])
        self.assertEqual(made["declared"], 1)

    def test_branches_give_the_range(self) -> None:
        made = self.batch("return x * 2 if x.shape[0] > 10 else x", "16, 8")
        self.assertEqual((made["low"], made["high"]), (11, None))
        made = self.batch("return x * 2 if x.shape[0] <= 100 else x", "16, 8")
        self.assertEqual((made["low"], made["high"]), (2, 100))
        made = self.batch("return x if x.shape[0] in (3, 21) else x + 1", "16, 8")
        self.assertEqual((made["low"], made["high"]), (4, 20))
        made = self.batch("return x.sum(0) if x.shape[0] * x.shape[0] < 10000 else x[0]", "16, 8")
        self.assertEqual((made["low"], made["high"]), (2, 99))

    def test_numbers_on_no_line_refuse_by_name(self) -> None:
        for value, name in (
            ("x * (x.shape[0] // 100)", "mul"),
            ("x + x.shape[0] % 100", "add"),
            ("x[: min(64, x.shape[0])]", "slice"),
            ("x / x.shape[0] ** 0.5", "div"),
        ):
            forward, constructor = f"return ({value}) @ self.w", "self.w = nn.Parameter(torch.ones(8, 3))"
            made = self.batch(forward, "16, 8", constructor=constructor)
            self.assertEqual(made["axes"], [], forward)
            self.assertIn("in no straight line", made["reason"], forward)
            self.assertIn(name, made["reason"], forward)

    def test_a_line_with_a_rest_is_a_line(self) -> None:
        made = self.batch("return x[3:] * x.shape[0]", "16, 8")
        self.assertEqual(self.axes(made), [(0, 0, 0, 1)])
        self.assertGreaterEqual(made["low"], 3)

    def test_multiples_are_counted_in_their_unit(self) -> None:
        for forward in ("return x.view(4, -1, 8).sum(1)", "return (x + x.shape[0] % 4) @ self.w"):
            made = self.batch(forward, "16, 8", constructor="self.w = nn.Parameter(torch.ones(8, 3))")
            self.assertEqual(self.axes(made), [(0, 0, 0, 4)])
            self.assertEqual(made["declared"], 4)

    def test_a_question_of_remainders_bounds_the_range(self) -> None:
        made = self.batch("return x if x.shape[0] % 8 != 0 else x + 1", "21, 8")
        self.assertEqual((made["low"], made["high"]), (17, 23))

    def test_no_free_axis(self) -> None:
        made = self.batch("return x * self.w", "16, 8", constructor="self.w = nn.Parameter(torch.ones(16, 8))")
        self.assertEqual(made["axes"], [])
        self.assertIn("no axis", made["reason"])

    def test_a_file_that_cannot_be_exported_freely(self) -> None:
        text = HEADER + "class Model(nn.Module):\n    def forward(self, x):\n        return x[: int(x.shape[0])]\n"
        made = self.ok("batch_axis", file=self.file(text + inputs("16, 8"), "whole.py"))
        self.assertTrue(made["axes"] or made["reason"])


class FollowTest(unittest.TestCase):
    def test_lines(self) -> None:
        self.assertEqual(line(3 * BATCH - 2), (-2, 3))
        self.assertEqual(line(sympy.Integer(7)), (7, 0))
        for expression in (BATCH**2, BATCH / 2, sympy.floor(BATCH / 2), sympy.sqrt(BATCH), BATCH < 3):
            self.assertIsNone(line(expression), str(expression))

    def test_where_questions_keep_their_answer(self) -> None:
        self.assertEqual(holds_around(BATCH >= 5, 5)[0], 5)
        self.assertEqual(holds_around(2 * BATCH < 17, 5), (1, 8))
        self.assertEqual(holds_around(sympy.Ne(BATCH, 6), 5), (1, 5))
        self.assertEqual(holds_around(sympy.Eq(BATCH, 6), 6), (6, 6))
        self.assertEqual(holds_around(BATCH**2 - 10 * BATCH < -9, 5), (2, 8))
        self.assertEqual(holds_around(sympy.Eq(sympy.Mod(BATCH, 3), 1), 4), (4, 4))
        self.assertEqual(holds_around(sympy.true, 4)[0], 1)


if __name__ == "__main__":
    unittest.main()
