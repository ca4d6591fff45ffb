# SPDX-License-Identifier: Apache-2.0
"""A live module as a program in a folder: what travels, and what is refused by name. Starts no program."""

import contextlib
import importlib.util
import tempfile
import types
import unittest

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from .support import BUILD  # noqa: F401 - sets the path
from handed_over import Locked, Scorer, halved, sevens
import stitchcuda
from stitchcuda.calls import Arguments, example_of, signature_of
from stitchcuda.capture import capture, program_name
from stitchcuda.pickling import cloudpickle


def loaded(model, inputs, keywords=None, draw=None, mode=contextlib.nullcontext()) -> types.ModuleType:
    """The captured program as the importer reads it."""
    with tempfile.TemporaryDirectory() as folder:
        file = capture(model, example_of(inputs, keywords), draw, folder).program.rpartition(":")[0]
        spec = importlib.util.spec_from_file_location("captured_here", file)
        module = importlib.util.module_from_spec(spec)
        with mode:
            spec.loader.exec_module(module)
        return module


class Travels(unittest.TestCase):
    def test_values_modes_and_ties(self) -> None:
        mine = Scorer(5)
        mine.norm.eval()
        mine.norm.weight.requires_grad_(False)
        copy = loaded(mine, {"x": torch.randn(3, 5)}).model
        self.assertEqual(list(copy.state_dict()), list(mine.state_dict()))
        for name, value in mine.state_dict().items():
            self.assertTrue(torch.equal(copy.state_dict()[name], value), name)
        self.assertIs(copy.outer.weight, copy.inner.weight)
        self.assertEqual((copy.training, copy.norm.training), (True, False))
        self.assertFalse(copy.norm.weight.requires_grad)
        self.assertIsInstance(copy.norm.weight, nn.Parameter)

    def test_nothing_is_read_under_a_fake_mode(self) -> None:
        mode = FakeTensorMode(allow_non_fake_inputs=True)
        program = loaded(Scorer(5), {"x": torch.randn(3, 5)}, mode=mode)
        with mode:
            self.assertIsInstance(program.model.inner.weight.data, FakeTensor)
            self.assertIsInstance(program.get_inputs()[0]["x"], FakeTensor)

    def test_keyword_arguments_have_places(self) -> None:
        mine, given = Scorer(5).eval(), {"x": torch.randn(3, 5)}
        program = loaded(mine, (given,), {"scale": 3.0, "bias": torch.ones(5)})
        batch, scale, bias = program.get_inputs()
        self.assertEqual((scale, bias.tolist()), (3.0, [1.0] * 5))
        torch.testing.assert_close(program.model(given, scale, bias), mine(given, scale=3.0, bias=torch.ones(5)))
        self.assertEqual(batch["x"].shape, (3, 5))

    def test_examples_are_drawn_anew_row_by_row(self) -> None:
        x, ordered, counts = torch.randn(64, 4), torch.arange(8.0), torch.arange(6).reshape(3, 2)
        program = loaded(halved, (x, ordered, counts))
        first, second = program.get_inputs(), program.get_inputs()
        self.assertFalse(torch.equal(first[0], second[0]))
        self.assertTrue(all(any(torch.equal(row, other) for other in x) for row in first[0]))
        self.assertTrue(torch.equal(first[1], ordered) and torch.equal(first[2], counts))

    def test_an_example_is_kept_where_mixed_rows_are_refused(self) -> None:
        x = torch.randn(64, 4)
        program = loaded(halved, (x, 3))
        program.keep_inputs()
        given = program.get_inputs()
        self.assertTrue(torch.equal(given[0], x) and given[1] == 3)
        given[0].zero_()
        self.assertTrue(torch.equal(program.get_inputs()[0], x))

    def test_a_function_may_draw(self) -> None:
        program = loaded(halved, torch.zeros(2), draw=sevens)
        self.assertEqual(program.get_inputs()[0].tolist(), [7.0, 7.0])

    @unittest.skipIf(cloudpickle is None, "cloudpickle is not installed")
    def test_local_classes_and_lambdas(self) -> None:
        factor = 3

        class Local(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.act = lambda y: y * factor

            def forward(self, x):
                return self.act(x)

        program = loaded(Local(), torch.ones(2))
        self.assertEqual(program.model(torch.ones(2)).tolist(), [3.0, 3.0])
        self.assertIn(__file__, program.stitchcuda_live_code[0])

    def test_names(self) -> None:
        self.assertEqual(program_name(Scorer(2)), "scorer")
        self.assertEqual(program_name(nn.TransformerEncoderLayer(4, 2)), "transformer_encoder_layer")
        self.assertEqual(program_name(lambda x: x), "lambda")


class Refusals(unittest.TestCase):
    def refused(self, kind, pattern, model, inputs=torch.ones(2, 3), **options) -> None:
        with self.assertRaisesRegex(kind, pattern):
            stitchcuda.optimize(model, inputs, progress=False, **options)

    def test_what_is_no_live_module(self) -> None:
        self.refused(stitchcuda.UsageError, r"given the class Scorer\. Give an instance", Scorer)
        self.refused(stitchcuda.UsageError, "given a int", 3)
        self.refused(stitchcuda.UsageError, "holds no tensor", halved, (1, 2))

    def test_what_cannot_travel_is_named(self) -> None:
        self.refused(stitchcuda.ProgramError, r"Locked\.block\.guard \(a lock\) cannot be handed", Locked())
        self.refused(stitchcuda.ProgramError, "parameter without a shape.*Call the module once", nn.LazyLinear(3))
        meta = nn.Linear(3, 3, device="meta")
        self.refused(stitchcuda.ProgramError, "meta device", meta)

    @unittest.skipUnless(cloudpickle is None, "cloudpickle is installed")
    def test_without_cloudpickle_local_code_is_named(self) -> None:
        class Local(nn.Linear):
            pass

        self.refused(
            stitchcuda.MissingEnvironment, "Local is defined in a function.*`pip install cloudpickle", Local(3, 3)
        )


class CallsInOrder(unittest.TestCase):
    def test_arguments(self) -> None:
        def function(x, mask=None, *rest, scale=1.0, **more):
            pass

        x, y = torch.ones(1), torch.zeros(1)
        arguments = Arguments(example_of((x,), {"scale": 2.0, "extra": y}), signature_of(function))
        self.assertEqual(arguments.in_order((), {"x": x, "extra": y, "scale": 2.0}), (x, 2.0, y))
        self.assertEqual(arguments.in_order((x, None), {"extra": y}), (x, 1.0, y))
        with self.assertRaisesRegex(stitchcuda.UsageError, "without the argument mask"):
            arguments.in_order((x, y), {"scale": 2.0, "extra": y})
        with self.assertRaisesRegex(stitchcuda.UsageError, "argument extra, which is missing"):
            arguments.in_order((x,), {"scale": 2.0})
        with self.assertRaises(TypeError):
            arguments.in_order((), {"scale": 2.0})


if __name__ == "__main__":
    unittest.main()
