# SPDX-License-Identifier: Apache-2.0
"""Networks with dropout between their layers are taken apart, and mean the same."""

from __future__ import annotations

import unittest
from typing import Any

import torch

from stitchcuda_python.graph.recurrent import recurrent_decompositions


def _of(module: torch.nn.RNNBase, operator: Any, train: bool, x: torch.Tensor) -> tuple[Any, Any]:
    """The decomposition and the operator itself, with the same seed."""
    directions = 2 if module.bidirectional else 1
    shape = (module.num_layers * directions, 4)
    hidden = torch.randn(*shape, module.proj_size or module.hidden_size)
    has_cell = operator is torch.ops.aten.lstm.input
    hx = [hidden, torch.randn(*shape, module.hidden_size)] if has_cell else hidden
    how = (module.bias, module.num_layers, 0.3, train, module.bidirectional, module.batch_first)
    made = []
    for function in (recurrent_decompositions()[operator], operator):
        torch.manual_seed(5)
        made.append(function(x, hx, module._flat_weights, *how))
    return made[0], made[1]


class RecurrentLayers(unittest.TestCase):
    def test_layer_by_layer_is_the_network(self) -> None:
        aten, nn = torch.ops.aten, torch.nn
        modules = [
            (nn.LSTM(3, 5, 3, batch_first=True, bidirectional=True), aten.lstm.input),
            (nn.LSTM(3, 6, 2, proj_size=4, bias=False), aten.lstm.input),
            (nn.GRU(3, 5, 2, bias=False), aten.gru.input),
            (nn.RNN(3, 5, 3, bidirectional=True), aten.rnn_tanh.input),
            (nn.RNN(3, 5, 2, nonlinearity="relu", batch_first=True), aten.rnn_relu.input),
        ]
        for module, operator in modules:
            x = torch.randn(4, 7, 3) if module.batch_first else torch.randn(7, 4, 3)
            with self.subTest(str(module)), torch.no_grad():
                made, wanted = _of(module, operator, True, x)
                for one, other in zip(made, wanted, strict=True):
                    torch.testing.assert_close(one, other)

    def test_networks_that_drop_nothing_stay_whole(self) -> None:
        module = torch.nn.GRU(3, 5, 2)
        made, _ = _of(module, torch.ops.aten.gru.input, False, torch.randn(7, 4, 3))
        self.assertIs(made, NotImplemented)


if __name__ == "__main__":
    unittest.main()
