# SPDX-License-Identifier: Apache-2.0
"""torch.bincount: what it counts, and where its size is known."""

from __future__ import annotations

import unittest

import torch

from stitchcuda_python.graph.counts import count_decompositions

from .support import ServerCase, model

INPUTS = "def get_inputs():\n    return [torch.randint(0, 6, (50,))]\ndef get_init_inputs():\n    return []\n"
KNOWN = [
    "return torch.bincount(x, minlength=6)[:6]",
    "return torch.bincount(x, minlength=6)[1:6:2] * 2",
    "return torch.bincount(x, minlength=6)[4]",
    "return torch.bincount(x, minlength=6).narrow(0, 2, 3)",
    "c = torch.bincount(x, minlength=6); torch._check(c.shape[0] == 6); return c * 2",
    "return torch.bincount(x, minlength=6) * torch.arange(6)",
    "return torch.bincount(x, weights=x.float(), minlength=6)[:6]",
]
UNKNOWN = [
    ("return torch.bincount(x)", "minlength=n)[:n]"),
    ("return torch.bincount(x)[:3]", "minlength=n)[:n]"),
    ("return torch.bincount(x) * torch.arange(6)", "minlength=n)[:n]"),
    ("return torch.bincount(x, minlength=6)", "minlength=6)[:6]"),
    ("return torch.bincount(x, minlength=6)[:7].sum()", "minlength=6)[:6]"),
    ("return torch.bincount(x, minlength=6)[-1]", "minlength=6)[:6]"),
    ("return torch.bincount(x, minlength=6)[x]", "minlength=6)[:6]"),
    ("return torch.bincount(x, minlength=6).max()", "minlength=6)[:6]"),
]


class Counts(unittest.TestCase):
    def test_the_first_counts_are_pytorchs(self) -> None:
        made = count_decompositions()[torch.ops.aten.bincount.default]
        for dtype in (torch.int64, torch.int32, torch.uint8):
            x = torch.randint(0, 9, (100,), dtype=dtype)
            for weights in (None, torch.rand(100), torch.rand(100, dtype=torch.float64), torch.arange(100)):
                with self.subTest(f"{dtype} {None if weights is None else weights.dtype}"):
                    torch.testing.assert_close(made(x, weights, 6), torch.bincount(x, weights, 6)[:6])
        torch.testing.assert_close(made(x[:0], None, 6), torch.bincount(x[:0], None, 6))


class Sizes(ServerCase):
    def test_where_no_more_than_minlength_are_taken(self) -> None:
        for number, body in enumerate(KNOWN):
            with self.subTest(body):
                graph = self.ok("import", file=self.file(model(body, inputs=INPUTS), f"known_{number}.py"))
                targets = [node["target"] for node in graph["nodes"]]
                self.assertIn("aten.scatter_add.default", targets)
                self.assertNotIn("aten.bincount.default", targets)

    def test_elsewhere_it_follows_from_numbers(self) -> None:
        for number, (body, remedy) in enumerate(UNKNOWN):
            with self.subTest(body):
                path = self.file(model(body, inputs=INPUTS), f"unknown_{number}.py")
                error = self.error("import", file=path)
                self.assertIn("aten.bincount makes as many counts as its greatest value", error["sentence"])
                self.assertIn(remedy, error["remedy"])
                self.assertEqual(error["place"], f"{path}:8")


if __name__ == "__main__":
    unittest.main()
