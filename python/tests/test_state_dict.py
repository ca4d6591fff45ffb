# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: what is loaded, and the sentence for each that cannot be."""

from __future__ import annotations

import os

import torch
from torch import nn

from .support import HEADER, INPUTS, ServerCase, read
from stitchcuda_python.weights.safetensors_file import write_safetensors
from stitchcuda_python.weights.state_dict import read_state_dict

PROGRAM = (
    f"{HEADER}class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.layer = nn.Linear(8, 3)\n        self.norm = nn.BatchNorm1d(3)\n"
    f"    def forward(self, x):\n        return self.norm(self.layer(x))\n{INPUTS}"
)


def state_dict() -> dict[str, torch.Tensor]:
    torch.manual_seed(5)
    return nn.ModuleDict({"layer": nn.Linear(8, 3), "norm": nn.BatchNorm1d(3)}).state_dict()


class Checkpoints(ServerCase):
    def setUp(self) -> None:
        self.program = self.file(PROGRAM)
        self.state = state_dict()

    def save(self, value: object, name: str = "weights.pt") -> str:
        path = os.path.join(self.folder, name)
        torch.save(value, path)
        return path

    def refused(self, path: str, *messages: str) -> None:
        error = self.error("import", file=self.program, weights=path)
        self.assertEqual(error["code"], "program_invalid")
        for message in messages:
            self.assertIn(message, error["sentence"])
        self.assertTrue(error["remedy"])

    def check_loaded(self, path: str) -> None:
        written = os.path.join(self.folder, "written.safetensors")
        self.ok("weights", file=self.program, weights=path, path=written)
        for name, value in read_state_dict(written).items():
            self.assertTrue(torch.equal(value, self.state[name]), name)

    def test_of_torch_save(self) -> None:
        self.check_loaded(self.save(self.state))

    def test_inside_what_a_training_script_saves(self) -> None:
        self.check_loaded(self.save({"epoch": 3, "state_dict": self.state}, "epoch.pth"))

    def test_of_safetensors(self) -> None:
        path = os.path.join(self.folder, "weights.safetensors")
        write_safetensors(self.state, path)
        self.check_loaded(path)

    def test_import_needs_no_values(self) -> None:
        answer = self.ok("import", file=self.program, weights=self.save(self.state))
        self.assertEqual(answer["parameter_count"], 33)

    def test_the_reference_computes_with_them(self) -> None:
        opened = self.open(self.program, weights=self.save(self.state))
        draw = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)
        specs = [spec["name"] for spec in opened["parameters"]]
        weight = read(draw["parameters"][specs.index("layer_weight")], torch.float32, [3, 8])
        ratio = weight / self.state["layer.weight"]  # parameters are drawn around the given ones
        self.assertTrue(bool(((ratio > 0.49) & (ratio < 1.51)).all()), ratio)

    def test_missing_keys(self) -> None:
        del self.state["norm.bias"]
        self.refused(self.save(self.state), "lacks norm.bias")

    def test_unexpected_keys(self) -> None:
        self.refused(self.save({**self.state, "head.weight": torch.zeros(2)}), "has head.weight, which")

    def test_other_shapes(self) -> None:
        self.state["layer.weight"] = torch.zeros(3, 9)
        self.refused(self.save(self.state), "layer.weight (3, 9) where the module has (3, 8)")

    def test_unsafe_pickles(self) -> None:
        self.refused(self.save(nn.Linear(8, 3)), "could run code")

    def test_no_state_dict(self) -> None:
        self.refused(self.save([1, 2]), "holds a list")

    def test_no_such_file(self) -> None:
        self.refused(os.path.join(self.folder, "nowhere.pt"), "There is no file")

    def test_other_suffixes(self) -> None:
        self.refused(self.file("x", "weights.onnx"), "no checkpoint")

    def test_damaged_pickles(self) -> None:
        path = self.save(self.state)
        with open(path, "rb") as stream:
            data = stream.read()
        for cut in (0, 1, 100, len(data) // 2, len(data) - 10):
            self.refused(self.file(data[:cut], "cut.pt"), "damaged")

    def test_damaged_safetensors(self) -> None:
        path = os.path.join(self.folder, "whole.safetensors")
        write_safetensors(self.state, path)
        with open(path, "rb") as stream:
            data = stream.read()
        for cut in (0, 7, 8, 60, len(data) - 1):
            self.refused(self.file(data[:cut], "cut.safetensors"), "no intact safetensors file")
        header = data.replace(b'"shape":[3,8]', b'"shape":[3,9]')
        self.refused(self.file(header, "altered.safetensors"), "no intact safetensors file")

    def test_modules_without_parameters(self) -> None:
        text = f"{HEADER}class Model(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n{INPUTS}"
        error = self.error("import", file=self.file(text, "plain.py"), weights=self.save(self.state))
        self.assertIn("without parameters", error["sentence"])
