# SPDX-License-Identifier: Apache-2.0
"""What run_decompositions prepares is kept between exports, and nothing of it stays behind."""

from __future__ import annotations

import unittest
from typing import Any
from unittest import mock

import torch
from torch._subclasses.fake_impls import op_implementations_dict

from stitchcuda_python.graph import kept_overrides
from stitchcuda_python.graph.composites import decomposition_table
from stitchcuda_python.graph.kept_overrides import overrides_kept

ATEN = torch.ops.aten


class Layers(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> Any:
        return torch.nn.functional.cosine_similarity(torch.nn.functional.silu(self.layer(x)), x[:, :3])


def decomposed() -> str:
    exported = torch.export.export(Layers(), (torch.ones(2, 4),), strict=False)
    return str(exported.run_decompositions(decomposition_table()).graph)


def decomposed_with_kept() -> str:
    with overrides_kept():
        return decomposed()


def registered() -> dict[Any, Any]:
    operators = [getattr(packet, name) for packet in (ATEN.linear, ATEN.cosine_similarity, ATEN.silu, ATEN.matmul)
                 for name in packet.overloads()]
    return {operator: (dict(operator.py_kernels), op_implementations_dict.get(operator)) for operator in operators}


class KeptOverrides(unittest.TestCase):
    def setUp(self) -> None:
        if kept_overrides._overrides is None:
            self.skipTest("this release of PyTorch does everything itself")
        decomposed()  # which forgets rules that PyTorch had before

    def test_graphs_and_operators_are_as_without(self) -> None:
        wanted, before = decomposed(), registered()
        for _ in range(4):
            self.assertEqual(decomposed_with_kept(), wanted)
            self.assertEqual(registered(), before)
            self.assertEqual(decomposed(), wanted)

    def test_pytorch_does_it_once(self) -> None:
        decomposed_with_kept()
        theirs = kept_overrides._overrides._theirs
        with mock.patch.object(kept_overrides._overrides, "_theirs", side_effect=theirs) as asked:
            self.assertIn("aten.linear.default", decomposed_with_kept())
        self.assertEqual([call.args for call in asked.call_args_list], [({},)])

    def test_an_operator_with_other_kernels_is_left_to_pytorch(self) -> None:
        decomposed_with_kept()
        key, theirs = torch._C.DispatchKey.Meta, kept_overrides._overrides._theirs
        with mock.patch.dict(ATEN.lstm.input.py_kernels, {key: lambda *args: None}), mock.patch.object(
            kept_overrides._overrides, "_theirs", side_effect=theirs
        ) as asked:
            decomposed_with_kept()
        self.assertEqual([list(call.args[0]) for call in asked.call_args_list], [[ATEN.lstm.input]])

    def test_operators_are_put_back_after_an_error(self) -> None:
        decomposed_with_kept()
        before = registered()
        failing = {**decomposition_table(), ATEN.silu.default: mock.Mock(side_effect=ValueError("not this one"))}
        for table in (failing, decomposition_table()):
            exported = torch.export.export(Layers(), (torch.ones(2, 4),), strict=False)
            with overrides_kept():
                if table is failing:
                    self.assertRaisesRegex(ValueError, "not this one", exported.run_decompositions, table)
                else:
                    exported.run_decompositions(table)
            self.assertEqual(registered(), before)

    def test_an_operator_that_is_new_is_seen(self) -> None:
        decomposed_with_kept()
        with torch.library._scoped_library("stitchcuda_test", "DEF") as library:
            library.define("twice(Tensor x) -> Tensor")
            library.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")
            twice = torch.ops.stitchcuda_test.twice

            class Twice(torch.nn.Module):
                def forward(self, x: torch.Tensor) -> Any:
                    return twice(x)

            exported = torch.export.export(Twice(), (torch.ones(2),), strict=False)
            with overrides_kept():
                self.assertIn("stitchcuda_test.twice", str(exported.run_decompositions(decomposition_table()).graph))


if __name__ == "__main__":
    unittest.main()
