# SPDX-License-Identifier: Apache-2.0
"""A recurrent network traced by its shapes alone gives what PyTorch's own tracing gives, and keeps the same extents."""

import itertools
import unittest
from unittest import mock

import torch
from torch.export import Dim

from stitchcuda_python.graph import recurrent_results
from stitchcuda_python.graph.recurrent_results import recurrent_results_by_shape
from stitchcuda_python.shapes.quiet import quiet

STEPS, BATCH, FEATURES, UNITS = 2, 3, 8, 4


class Network(torch.nn.Module):
    def __init__(self, kind, with_state: bool, **options) -> None:
        super().__init__()
        self.expand = torch.nn.Linear(FEATURES, FEATURES)
        self.network = kind(FEATURES, UNITS, **options)
        self.with_state = with_state

    def forward(self, x, state):
        output, last = self.network(self.expand(x), state if self.with_state else None)
        return output, last


def inputs_of(kind, layers: int, bidirectional: bool, batch_first: bool, proj: int):
    x = torch.randn((BATCH, STEPS, FEATURES) if batch_first else (STEPS, BATCH, FEATURES))
    count = layers * (2 if bidirectional else 1)
    state = torch.randn(count, BATCH, proj or UNITS)
    return x, (state, torch.randn(count, BATCH, UNITS)) if kind is torch.nn.LSTM else state


def free(value):
    if not isinstance(value, torch.Tensor):
        return tuple(map(free, value))
    return {axis: Dim.AUTO for axis in range(value.dim())}


def traced(network, inputs, sizes=None) -> list[str]:
    """Operators with the shapes of their results, as the export has them."""
    exported = torch.export.export(network, inputs, strict=False, dynamic_shapes=sizes)
    nodes = [node for node in exported.graph.nodes if "val" in node.meta]
    leaves = [(str(node.target), torch.utils._pytree.tree_leaves(node.meta["val"])) for node in nodes]
    return [f"{name} {[(tuple(leaf.shape), leaf.dtype) for leaf in found if isinstance(leaf, torch.Tensor)]}"
            for name, found in leaves]  # fmt: skip


class RecurrentResults(unittest.TestCase):
    def test_every_form_is_traced_alike(self) -> None:
        kinds = (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)
        for kind, both, first, state in itertools.product(kinds, *[(False, True)] * 3):
            proj = 2 if kind is torch.nn.LSTM and both else 0
            options = {"proj_size": proj} if proj else {}
            network = Network(kind, state, num_layers=2, bidirectional=both, batch_first=first, **options)
            inputs = inputs_of(kind, 2, both, first, proj)
            sizes = tuple(free(value) for value in inputs) if state else None
            with self.subTest(kind=kind.__name__, both=both, first=first, state=state), quiet():
                wanted = traced(network, inputs, sizes)
                with recurrent_results_by_shape():
                    self.assertEqual(traced(network, inputs, sizes), wanted)

    def test_no_step_is_run(self) -> None:
        network, inputs = Network(torch.nn.GRU, False), inputs_of(torch.nn.GRU, 1, False, False, 0)
        with mock.patch.object(recurrent_results, "_fits", return_value=True) as asked, quiet():
            with recurrent_results_by_shape():
                traced(network, inputs)
        self.assertTrue(asked.called)

    def test_the_kernels_are_put_back(self) -> None:
        before = dict(torch.ops.aten.gru.input.py_kernels)
        with self.assertRaises(KeyError), recurrent_results_by_shape():
            raise KeyError
        self.assertEqual(torch.ops.aten.gru.input.py_kernels, before)


if __name__ == "__main__":
    unittest.main()
