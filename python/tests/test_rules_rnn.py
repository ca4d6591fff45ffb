# SPDX-License-Identifier: Apache-2.0
"""The recurrent operators' rules are PyTorch's operators; their work is counted by weights, not by calls."""

from __future__ import annotations

import itertools
import unittest
from typing import Any

import torch
from stitchcuda_python.graph.export import export_request
from stitchcuda_python.graph.flops import count_flops
from stitchcuda_python.oracle.arithmetic import Arithmetic
from stitchcuda_python.oracle.rules import RULES
from stitchcuda_python.program.build import Request
from torch import nn

from .support import ServerCase, model

STEPS, BATCH, FEATURES, UNITS = 3, 2, 5, 4
EXACT = Arithmetic(None, None)


def _module(kind: str, **how: Any) -> nn.RNNBase:
    if kind.startswith("rnn"):
        return nn.RNN(FEATURES, UNITS, nonlinearity=kind.removeprefix("rnn_"), **how).double()
    return {"lstm": nn.LSTM, "gru": nn.GRU}[kind](FEATURES, UNITS, **how).double()


class RecurrentRulesTest(ServerCase):
    def test_networks_are_pytorchs(self) -> None:
        switches = (False, True)
        for kind, layers, both, first, bias in itertools.product(
            ("lstm", "gru", "rnn_tanh", "rnn_relu"), (1, 2), switches, switches, switches
        ):
            for projection in (0, 2) if kind == "lstm" else (0,):
                how = {"proj_size": projection} if projection else {}
                module = _module(kind, num_layers=layers, bidirectional=both, batch_first=first, bias=bias, **how)
                self.compare(kind, module, layers * (2 if both else 1), projection or UNITS)

    def compare(self, kind: str, module: nn.RNNBase, states: int, width: int) -> None:
        shape = (BATCH, STEPS, FEATURES) if module.batch_first else (STEPS, BATCH, FEATURES)
        x = torch.randn(shape, dtype=torch.float64)
        hidden = torch.randn(states, BATCH, width, dtype=torch.float64)
        cell = torch.randn(states, BATCH, UNITS, dtype=torch.float64)
        start: Any = [hidden, cell] if kind == "lstm" else hidden
        output, last = module(x, tuple(start) if kind == "lstm" else start)
        expected = [output, *(last if kind == "lstm" else [last])]
        how = (module.bias, module.num_layers, 0.0, True, module.bidirectional, module.batch_first)
        made = RULES[kind](EXACT, x, start, module._flat_weights, *how)
        for got, wanted in zip(made, expected, strict=True):
            torch.testing.assert_close(got, wanted.detach(), rtol=1e-10, atol=1e-12)

    def test_cells_are_pytorchs(self) -> None:
        x, hidden, cell = (torch.randn(BATCH, width, dtype=torch.float64) for width in (FEATURES, UNITS, UNITS))
        for kind, module in {
            "lstm_cell": nn.LSTMCell(FEATURES, UNITS),
            "gru_cell": nn.GRUCell(FEATURES, UNITS, bias=False),
            "rnn_tanh_cell": nn.RNNCell(FEATURES, UNITS),
            "rnn_relu_cell": nn.RNNCell(FEATURES, UNITS, nonlinearity="relu"),
        }.items():
            module = module.double()
            start: Any = (hidden, cell) if kind == "lstm_cell" else hidden
            biases = (module.bias_ih, module.bias_hh) if module.bias else (None, None)
            made = RULES[kind](EXACT, x, start, module.weight_ih, module.weight_hh, *biases)
            torch.testing.assert_close(made, module(x, start), rtol=1e-10, atol=1e-12)

    def test_packed_sequences_and_active_dropout_have_no_rule(self) -> None:
        module = _module("lstm", num_layers=2)
        x, state = torch.randn(STEPS, BATCH, FEATURES).double(), torch.zeros(2, BATCH, UNITS).double()
        made = RULES["lstm"](EXACT, x, [state, state], module._flat_weights, True, 2, 0.5, True, False, False)
        self.assertIsNone(made)

    def test_work_is_counted_by_weights(self) -> None:
        inputs = "def get_inputs():\n    return [torch.randn(3, 2, 5)]\ndef get_init_inputs():\n    return []\n"
        text = model("return self.l(x)[0]", "self.l = nn.LSTM(5, 4)", inputs)
        graph = export_request(Request(self.file(text, "counted.py"))).graph
        products = 2 * STEPS * BATCH * (4 * UNITS * FEATURES + 4 * UNITS * UNITS)
        results = STEPS * BATCH * UNITS + 2 * BATCH * UNITS
        state = 2 * BATCH * UNITS  # the zeros it starts from
        self.assertIn(count_flops(graph), (products + results, products + results + state))


if __name__ == "__main__":
    unittest.main()
