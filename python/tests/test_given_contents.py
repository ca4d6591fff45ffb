# SPDX-License-Identifier: Apache-2.0
"""The reference for contents that somebody else made."""

from __future__ import annotations

import os
import tempfile
import unittest
from typing import Any

import torch
from stitchcuda_python.weights.raw import read_raw, write_raw

from .support import ServerCase, model, read, read_result

NORM = model("return self.n(x).relu()", "self.n = nn.BatchNorm1d(8)\n        self.train()")
DROPOUT = model("return nn.functional.dropout(x, 0.5)")
POSITIVE = "def get_inputs():\n    return [torch.rand(4, 8) + 0.1]\ndef get_init_inputs():\n    return []\n"


class GivenContentsTest(ServerCase):
    def given(self, opened: dict[str, Any], inputs: list[torch.Tensor], states: list[torch.Tensor]) -> dict[str, Any]:
        folder = tempfile.mkdtemp(dir=self.folder)
        paths = {
            group: [write_raw(item, os.path.join(folder, f"{group}{at}")) for at, item in enumerate(tensors)]
            for group, tensors in (("in", inputs), ("st", states))
        }
        made = self.ok(
            "oracle.given", oracle=opened["oracle"], draw=0, inputs=paths["in"], states=paths["st"], folder=folder
        )
        for entry in [] if made["dropped"] else made["outputs"] + made["states_out"]:
            self.assertEqual(os.path.dirname(entry["ref64"]), folder)
        return made

    def drawn(self, opened: dict[str, Any], number: int) -> tuple[dict[str, Any], dict[str, list[torch.Tensor]]]:
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=number)
        dtypes = {"float32": torch.float32, "int64": torch.int64}
        tensors = {
            key: [read(path, dtypes[spec["dtype"]], spec["shape"]) for path, spec in zip(drawn[key], opened[key])]
            for key in ("inputs", "parameters", "states")
        }
        return drawn, tensors

    def test_a_draws_own_contents_have_its_answers(self) -> None:
        opened = self.open(self.file(NORM, "norm.py"), mode="train")
        drawn, tensors = self.drawn(opened, 0)
        wanted = read_result(drawn["outputs"][0], opened["outputs"][0])
        self.drawn(opened, 1)  # the parameters are those of the draw that is named, not of the last one
        made = self.given(opened, tensors["inputs"], tensors["states"])
        got = read_result(made["outputs"][0], opened["outputs"][0])
        self.assertTrue(torch.equal(got["ref64"], wanted["ref64"]))
        self.assertTrue(torch.equal(got["native"], wanted["native"]))
        self.assertEqual(len(got["runs"]), 3)

    def test_contents_of_two_draws_have_answers_of_their_own(self) -> None:
        opened = self.open(self.file(NORM, "norm.py"), mode="train")
        first, second = self.drawn(opened, 0)[1], self.drawn(opened, 1)[1]
        mask = torch.rand(first["inputs"][0].shape) < 0.5
        x = torch.where(mask, first["inputs"][0], second["inputs"][0])
        states = [state + 1 if state.is_floating_point() else state for state in first["states"]]
        made = self.given(opened, [x], states)
        got = read_result(made["outputs"][0], opened["outputs"][0])
        weight, bias = (tensor.double() for tensor in first["parameters"])
        norm = nn_batch_norm(x.double(), weight, bias)
        self.assertLess((got["ref64"] - norm.relu()).abs().max(), 1e-12)
        names = [spec["binding"] for spec in opened["states_out"]]
        mean = made["states_out"][names.index("n.running_mean")]
        old = next(s for s, spec in zip(states, opened["states"]) if "running_mean" in str(spec))
        wanted = 0.9 * old.double() + 0.1 * x.double().mean(0)
        self.assertLess((read(mean["ref64"], torch.float64, [8]) - wanted).abs().max(), 1e-9)

    def test_what_the_program_does_not_take_is_dropped(self) -> None:
        opened = self.open(self.file(model("return torch.log(x)", inputs=POSITIVE), "log.py"))
        made = self.given(opened, [torch.full((4, 8), -1.0)], [])
        self.assertIn("not finite", made["dropped"])
        self.assertIsNone(self.given(opened, [torch.full((4, 8), 2.0)], [])["dropped"])

    def test_random_numbers_are_given_too(self) -> None:
        opened = self.open(self.file(DROPOUT, "dropout.py"), mode="train")
        first, second = self.drawn(opened, 0)[1], self.drawn(opened, 1)
        made = self.given(opened, [first["inputs"][0], second[1]["inputs"][1]], [])
        got = read_result(made["outputs"][0], opened["outputs"][0])
        wanted = read_result(second[0]["outputs"][0], opened["outputs"][0])
        self.assertTrue(torch.equal(got["ref64"] == 0, wanted["ref64"] == 0))
        kept = got["ref64"] != 0
        self.assertTrue(torch.allclose(got["ref64"][kept], 2 * first["inputs"][0].double()[kept]))

    def test_inputs_that_must_stay_whole_are_named(self) -> None:
        bags = model(
            "return self.e(x, y)",
            "self.e = nn.EmbeddingBag(7, 3)",
            "def get_inputs():\n    return [torch.randint(0, 7, (6,)), torch.tensor([0, 2, 5])]\n"
            "def get_init_inputs():\n    return []\n",
        ).replace("forward(self, x)", "forward(self, x, y)")
        opened = self.open(self.file(bags, "bags.py"))
        self.assertEqual([spec["whole"] for spec in opened["inputs"]], [False, True])

    def test_missing_tensors_are_refused(self) -> None:
        arguments: dict[str, Any] = {"draw": 0, "inputs": [], "states": [], "folder": self.folder}
        plain = self.open(self.file(model("return x + 1"), "plain.py"))
        error = self.error("oracle.given", oracle=plain["oracle"], **arguments)
        self.assertIn("1 tensors are taken here, not 0", error["sentence"])

    def test_a_file_of_another_size_is_not_read(self) -> None:
        path = write_raw(torch.zeros(4), os.path.join(self.folder, "four"))
        self.assertTrue(torch.equal(read_raw(path, torch.ones(2, 2)), torch.zeros(2, 2)))
        for shape in (3, 5):
            with self.assertRaises(ValueError):
                read_raw(path, torch.zeros(shape))


def nn_batch_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.batch_norm(x, None, None, weight, bias, training=True)


if __name__ == "__main__":
    unittest.main()
