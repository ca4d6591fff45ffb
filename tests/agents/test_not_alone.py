# SPDX-License-Identifier: Apache-2.0
"""A step between values that only a rewrite of the plan has made: the reference cannot run it by itself."""

from __future__ import annotations

import pytest

from .conftest import Workplace
from .model import Model, cannot, material, present, wrong

pytestmark = pytest.mark.usefixtures("preloads")

# The states of both layers, put together by two steps of their own, are values of the plan's lstm_layer alone.
LAYERS = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(6, 5, 2)

    def forward(self, x, hidden, cell):
        long, (hidden, cell) = self.lstm(x, (hidden, cell))
        return long, hidden, cell

def get_inputs():
    return [torch.randn(3, 4, 6), torch.randn(2, 4, 5), torch.randn(2, 4, 5)]

def get_init_inputs():
    return []
"""
WHY = "The reference cannot run the plan's operator lstm_layer by itself."


@pytest.fixture
def layers(place: Workplace) -> Workplace:
    (place.folder / "model.py").write_text(LAYERS)
    return place


def test_it_is_judged_in_its_program(layers: Workplace) -> None:
    model = Model(wrong, present, cannot)
    with model.server() as server:
        ended = layers.optimize("--llm", server.url, "--model", "m", "--step-rounds", "2", "--max-rounds", "2")
    assert ended.status == 0, ended.error
    assert ended.json["verdict"]["kind"] == "ok"
    assert [each["outcome"] for each in layers.state()["attempts"]] == ["wrong", "right"]
    told = material([prompt for role, prompt in model.asked if role == "coder"][1], "the check")
    assert f"{WHY} The whole program with the step in it was checked." in told, told
    assert "got" in told and "expected" in told, "where the program is wrong"

    folder = ("verify", "out", "--device", "emulated", "--step", "1", "--json")
    public = layers.command(*folder, "--public")
    assert public.status == 0 and public.json["outcome"] == "passed" and public.json["why_whole"] == WHY
    alone = layers.command(*folder)
    assert alone.status == 3 and alone.json["error"]["sentence"] == WHY
    assert alone.json["error"]["remedy"] == "leave the step out: then the whole program is judged"
