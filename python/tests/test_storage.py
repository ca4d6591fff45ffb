# SPDX-License-Identifier: Apache-2.0
"""Whose memory outputs lie in: what is found of a reference, and what a candidate's tensors are asked for."""

from __future__ import annotations

import pathlib
import tempfile
import unittest
from typing import Any

import torch
from stitchcuda_candidate.channel import Fault
from stitchcuda_candidate.storage import check, extent_of
from stitchcuda_python.candidate.storage import storage_of
from stitchcuda_python.program.build import Request, build_program

_PROGRAM = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(4, 6))

    def forward(self, x, y):
        own = x + y
        self.last.add_(own)
        return own, own.t(), y.view(-1), self.last, x[:1].clone().expand(4, 6), x.clone()

def get_inputs():
    return [torch.ones(4, 6), torch.ones(4, 6)]

def get_init_inputs():
    return []
"""


def alone(**others: Any) -> dict[str, Any]:
    return {"inputs": [], "outputs": [], "in_module": False, "is_contiguous": True, "repeats": False} | others


class OfAReference(unittest.TestCase):
    def storage(self, text: str) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "program.py")
            file.write_text(text, encoding="utf-8")
            return storage_of(build_program(Request(str(file), None)))

    def test_outputs_lie_where_pytorch_lays_them(self) -> None:
        wanted = [
            alone(),
            alone(outputs=[0], is_contiguous=False),
            alone(inputs=[1]),
            alone(in_module=True),
            alone(is_contiguous=False, repeats=True),
            alone(),
        ]
        self.assertEqual(self.storage(_PROGRAM), wanted)

    def test_nothing_is_known_of_a_program_that_reads_its_numbers(self) -> None:
        text = _PROGRAM.replace("own = x + y", "own = x + float(y[0, 0])")
        self.assertIsNone(self.storage(text))


class OfACandidate(unittest.TestCase):
    def ask(self, outputs: list[torch.Tensor], storage: list[dict[str, Any]], inputs: list[torch.Tensor] | None = None,
            held: torch.Tensor | None = None) -> None:  # fmt: skip
        extents = [extent_of(tensor) for tensor in inputs or []]
        module = [] if held is None else [("last", *extent_of(held))]
        check(dict(enumerate(outputs)), storage, extents, extents, module)

    def refused(self, sentence: str, *arguments: Any, **others: Any) -> None:
        with self.assertRaises(Fault) as raised:
            self.ask(*arguments, **others)
        self.assertIn(sentence, str(raised.exception))

    def test_parts_of_one_allocation_are_two_tensors(self) -> None:
        both = torch.empty(2, 4, 6)
        self.ask([both[0], both[1]], [alone(), alone()])
        beside = torch.empty(4, 12)
        self.ask([beside[:, :6], beside[:, 6:]], [alone(), alone()])

    def test_what_the_reference_shares_may_be_shared(self) -> None:
        x = torch.empty(4, 6)
        self.ask([x, x.t()], [alone(inputs=[0]), alone(inputs=[0], outputs=[0])], inputs=[x])
        self.ask([x], [alone(in_module=True)], held=x)
        self.ask([x[:1].expand(4, 6)], [alone(repeats=True)])

    def test_what_it_does_not_share_is_refused(self) -> None:
        x, y = torch.empty(4, 6), torch.empty(4, 6)
        self.refused("output 0 lies in the memory of input 1", [y[2:]], [alone(inputs=[0])], inputs=[x, y])
        self.refused("output 0 lies in the memory of last", [x.view(-1)[5:]], [alone()], held=x)
        self.refused("output 1 and output 0 lie in the same memory", [x[:3], x[2:]], [alone(), alone()])
        self.refused("elements of output 0 lie in the same memory", [x[:1].expand(4, 6)], [alone()])

    def test_empty_outputs_lie_nowhere(self) -> None:
        x = torch.empty(4, 6)
        self.ask([x[:0], x[:0]], [alone(), alone()], inputs=[x])


if __name__ == "__main__":
    unittest.main()
