# SPDX-License-Identifier: Apache-2.0
"""Decisions that lie within rounding, and what the program gives when they fall the other way."""

from __future__ import annotations

import unittest
from typing import Any

import torch

from .support import ServerCase, model, read

ROWS, WIDTH = 300, 64
INPUTS = f"def get_inputs():\n    return [torch.randn({ROWS}, {WIDTH})]\ndef get_init_inputs():\n    return []\n"
# Two experts whose router rows are equal but for an exchange of two columns: every token whose two elements are equal
# ties. The inputs make the first tokens such.
TIED = """def get_inputs():
    x = torch.randn(300, 64)
    x[:7, 1] = x[:7, 0] * (1 + 1e-7)
    return [x]
def get_init_inputs():
    return []
"""
ROUTER = "self.w = nn.Parameter(torch.randn(64)); self.v = nn.Parameter(torch.randn(3, 64))"


class DecisionsTest(ServerCase):
    def drawn(self, forward: str, constructor: str = "pass", inputs: str = INPUTS, number: int = 0) -> dict[str, Any]:
        opened = self.open(self.file(model(forward, constructor, inputs), "decides.py"), seed=3)
        made = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=number)
        entry, spec = made["outputs"][0], opened["outputs"][0]
        dtype = torch.float64 if entry["kind"] == "float" else torch.int64
        values = lambda path: read(path, dtype, spec["shape"])  # noqa: E731
        others = [values(path) for path in entry.get("otherwise", [])]
        return {"ties": made["near_ties"], "reference": values(entry["ref64"]), "others": others}

    def test_a_tied_route_is_given_both_ways(self) -> None:
        # Scores of expert 0 and 1 differ by w * (x0 - x1), which rounding decides in the first seven rows.
        forward = (
            "s = x @ self.w; d = s + (x[:, 0] - x[:, 1]) * 0.5; "
            "k = torch.stack([s, d, s - 1e3], 1).topk(1, 1)[1][:, 0]; return x * self.v[k]"
        )
        made = self.drawn(forward, ROUTER, TIED)
        self.assertGreaterEqual(made["ties"], 7)
        changed = [(other != made["reference"]).any(1).nonzero().flatten().tolist() for other in made["others"]]
        self.assertTrue(set(range(7)) <= set(changed[0]))
        self.assertLess(len(changed[0]), 12)
        self.assertEqual(sorted(changed[1] + changed[2]), sorted(changed[0]))

    def test_without_a_tie_nothing_is_given_twice(self) -> None:
        made = self.drawn("return x * (x @ self.w > 1e3)[:, None]", ROUTER)
        self.assertEqual((made["ties"], made["others"]), (0, []))

    def test_an_inputs_own_elements_have_no_rounding(self) -> None:
        for forward in ("return x * (x > 0)", "return x.round()", "return x.argmax(1)", "return x.sort(1)[1]"):
            self.assertEqual(self.drawn(forward)["ties"], 0, forward)

    def test_equal_elements_are_selected_from_the_lowest_place_too(self) -> None:
        # PyTorch's top-k takes the last of four equal elements, computed ones and an input's own alike.
        inputs = INPUTS.replace("64)]", "64) * (torch.arange(300) > 4)[:, None]]")
        for scores in ("x[:, :4]", "x @ self.w", "torch.arange(4) * (x[:, :1] != 0)"):
            forward = f"return ({scores}).topk(2, 1)[1] * 1.0"
            made = self.drawn(forward, "self.w = nn.Parameter(torch.randn(64, 4))", inputs)
            self.assertEqual(made["ties"], 10, scores)
            self.assertEqual(made["reference"][:5].tolist(), [[2.0, 3.0]] * 5, scores)
            self.assertEqual(made["others"][0][:5].tolist(), [[0.0, 1.0]] * 5, scores)
            self.assertTrue(torch.equal(made["others"][0][5:], made["reference"][5:]), scores)

    def test_elements_that_double_precision_alone_tells_apart_are_equal(self) -> None:
        # exp(-200) is 0 in float32: which element is second follows from its place.
        scores = "x[:, :5] + torch.tensor([-200.0, -200.0, -200.0, -200.0, 100.0])"
        made = self.drawn(f"return ({scores}).softmax(1).topk(2, 1)[1] * 1.0")
        self.assertNotEqual(made["reference"].tolist(), [[4.0, 0.0]] * ROWS)
        self.assertTrue(any(other.tolist() == [[4.0, 0.0]] * ROWS for other in made["others"]))

    def test_roundings_of_sums_are_given_both_ways(self) -> None:
        # Sums of 64 halves and one part in ten million: within rounding of a whole number and a half.
        inputs = INPUTS.replace(
            f"torch.randn({ROWS}, {WIDTH})", f"torch.full(({ROWS}, {WIDTH}), 1 / 3) + torch.rand({ROWS}, 1) * 1e-7"
        )
        for forward, step in (
            ("return (x.sum(1) * (31.5 * 3 / 64)).round()", 1),
            ("return (x.sum(1) * (31 * 3 / 64)).floor()", 1),
            ("return (x.sum(1) * (31 * 3 / 64)).ceil()", 1),
            ("return (x.sum(1) * (31 * 3 / 64)).to(torch.int64)", 1),
            ("return torch.div(x.sum(1), 64 / 3 / 31, rounding_mode='floor')", 1),
            ("return (x.sum(1) * 3 - 64).sign()", 2),
        ):
            made = self.drawn(forward, inputs=inputs)
            self.assertGreater(made["ties"], 0, forward)
            moved = (made["others"][0] - made["reference"]).abs()
            self.assertEqual(set(moved.unique().tolist()) - {0}, {step}, forward)

    def test_whole_numbers_that_rounding_moves_far_are_given_two_steps_either_way(self) -> None:
        made = self.drawn("return (x.sum(1) * 3e6).round()")
        moved = [(other - made["reference"]).unique().tolist() for other in made["others"]]
        self.assertEqual(moved[-4:], [[-1.0], [1.0], [-2.0], [2.0]])
        self.assertEqual(len(moved), 7)
        near = self.drawn("return (x.sum(1) * 1e4).round()")  # by one at most
        self.assertTrue(0 < len(near["others"]) <= 3)

    def test_equal_by_nature_is_no_tie(self) -> None:
        for forward in (
            "y = torch.relu(x @ self.v.t()); return x * (y[:, :1] > 0)",
            "y = x @ self.v.t(); return x * (y == y.amax(1, keepdim=True))[:, :1]",
        ):
            self.assertEqual(self.drawn(forward, ROUTER)["ties"], 0, forward)


if __name__ == "__main__":
    unittest.main()
