# SPDX-License-Identifier: Apache-2.0
"""Programs with random operators: the numbers are inputs of their own, the same for every run of a draw."""

from __future__ import annotations

import unittest
from typing import Any

import torch

from .support import DTYPES, ServerCase, model, read

INPUTS = "def get_inputs():\n    return [torch.rand(64, 24)]\ndef get_init_inputs():\n    return []\n"
DROPOUT = model("return nn.functional.dropout(x, 0.25, True)", inputs=INPUTS)
EVERY = model(
    "return nn.functional.dropout(x, 0.3, True), torch.rand(3, 3).sum() + torch.randn_like(x), torch.bernoulli(x), "
    "torch.empty_like(x).uniform_(-1, 1), torch.normal(x, 2.0), torch.empty_like(x).exponential_(3.0), "
    "nn.functional.alpha_dropout(x, 0.2, True), nn.functional.dropout1d(x, 0.5, True), "
    "nn.functional.dropout(x, 1.0, True)",
    inputs=INPUTS,
)
UNUSED = model("unused = torch.rand(5); return x + torch.rand(24)", inputs=INPUTS)


def tensor(path: str, spec: dict[str, Any]) -> torch.Tensor:
    return read(path, DTYPES[spec["dtype"]], spec["shape"])


class RandomTest(ServerCase):
    def test_each_call_that_draws_has_an_input_of_its_own(self) -> None:
        exported = self.ok("import", file=self.file(DROPOUT))
        given = [value for value in exported["values"] if value["binding"].startswith("random.")]
        self.assertEqual([(value["role"], value["shape"]) for value in given], [("input", [64, 24])])
        (node,) = [node for node in exported["nodes"] if "dropout" in node["target"]]
        self.assertEqual(node["kwargs"]["random"], {"value": given[0]["name"]})

    def test_eager_module_and_graph_take_the_same_numbers(self) -> None:
        for text in (DROPOUT, EVERY, UNUSED):
            opened = self.open(self.file(text))
            self.assertTrue(opened["gate"]["ok"], opened["gate"])

    def test_dropout_follows_from_the_numbers_that_are_handed_on(self) -> None:
        opened = self.open(self.file(DROPOUT))
        self.assertEqual(opened["random_inputs"], 1)
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)
        x, numbers = (tensor(path, spec) for path, spec in zip(drawn["inputs"], opened["inputs"]))
        native = tensor(drawn["outputs"][0]["native"], opened["outputs"][0])
        self.assertTrue(torch.allclose(native, torch.where(numbers < 0.75, x / 0.75, 0.0)))
        self.assertAlmostEqual((native == 0).float().mean().item(), 0.25, delta=0.06)

    def test_runs_that_draw_for_themselves_differ(self) -> None:
        opened = self.open(self.file(DROPOUT))
        self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)
        runs = self.ok("oracle.own_draws", oracle=opened["oracle"], count=3)["runs"]
        made = [tensor(run[0], opened["outputs"][0]) for run in runs]
        self.assertEqual(len(made), 3)
        self.assertFalse(torch.equal(made[0], made[1]))

    def test_another_draw_has_other_numbers(self) -> None:
        opened = self.open(self.file(DROPOUT))
        numbers = []
        for number in (0, 0, 1):
            drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=number)
            numbers.append(tensor(drawn["inputs"][1], opened["inputs"][1]))
        self.assertTrue(torch.equal(numbers[0], numbers[1]))
        self.assertFalse(torch.equal(numbers[0], numbers[2]))


if __name__ == "__main__":
    unittest.main()
