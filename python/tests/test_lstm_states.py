# SPDX-License-Identifier: Apache-2.0
"""LSTM states under the tracers of older PyTorch releases, which give them one axis too many."""

import unittest
from unittest import mock

import torch
from torch._decomp import decompositions

from stitchcuda_python.graph.lstm_states import lstm_states_as_in_eager


class Network(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.expand = torch.nn.Linear(8, 8)  # so that the LSTM's input requires a gradient: the plain layer is traced
        self.lstm = torch.nn.LSTM(8, 4, 2, batch_first=True, bidirectional=True)

    def forward(self, x):
        _, (hidden, cell) = self.lstm(self.expand(x))
        return hidden[-1], cell


def older(layer):
    """`layer` as releases before 2.13 have it."""

    def traced(*arguments, **named):
        output, states = layer(*arguments, **named)
        return output, tuple(state.unsqueeze(0) for state in states)

    return traced


def traced_shapes() -> list[tuple[int, ...]]:
    exported = torch.export.export(Network(), (torch.randn(3, 5, 8),), strict=False)
    output = next(node for node in exported.graph.nodes if node.op == "output")
    return [tuple(value.meta["val"].shape) for value in output.args[0]]


class LstmStates(unittest.TestCase):
    def test_states_have_the_shape_that_eager_gives(self) -> None:
        with mock.patch.object(decompositions, "one_layer_lstm", older(decompositions.one_layer_lstm)):
            self.assertEqual(traced_shapes(), [(1, 3, 4), (4, 1, 3, 4)], "the older tracer's mistake")
            with lstm_states_as_in_eager():
                self.assertEqual(traced_shapes(), [(3, 4), (4, 3, 4)])

    def test_a_release_that_is_right_stays_so(self) -> None:
        layer = decompositions.one_layer_lstm
        with lstm_states_as_in_eager():
            self.assertEqual(traced_shapes(), [(3, 4), (4, 3, 4)])
        self.assertIs(decompositions.one_layer_lstm, layer)


if __name__ == "__main__":
    unittest.main()
