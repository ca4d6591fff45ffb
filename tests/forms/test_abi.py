# SPDX-License-Identifier: Apache-2.0
"""A program's library in this very process, on the emulated device, through ctypes."""

import copy
import unittest

import torch

from .support import project, reference
from stitchcuda_runtime import Program, ProgramError, load_library

PROGRAM = "batch_norm_net"


class AbiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        file = reference(PROGRAM)
        torch.manual_seed(3)
        cls.model = file.Model(*file.get_init_inputs())
        cls.inputs = file.get_inputs()
        cls.program = Program(load_library(str(project(PROGRAM) / "program.so")))

    def test_describes_itself(self) -> None:
        self.assertEqual([spec.name for spec in self.program.inputs], ["x", "shift"])
        self.assertEqual([spec.shape for spec in self.program.outputs], [(33, 7), (33, 20), (33, 7), (33, 7)])
        self.assertIn("norm.running_mean", [spec.name for spec in self.program.states])
        self.assertEqual(self.program.inputs[0].dtype, torch.float32)

    def test_computes_what_eager_computes(self) -> None:
        model = copy.deepcopy(self.model)
        state = {name: value.clone() for name, value in model.state_dict().items()}
        self.program.prepare(state)
        outputs, states = self.program.run(self.inputs, state)
        expected = model(*self.inputs)
        leaves = [expected["scores"], expected["parts"][0], *expected["parts"][1]]
        for got, wanted in zip(outputs, leaves):
            torch.testing.assert_close(got, wanted.detach(), rtol=1e-5, atol=1e-5)
        for name, value in states.items():
            torch.testing.assert_close(value, model.state_dict()[name], rtol=1e-5, atol=1e-5)
        self.assertEqual(states["norm.num_batches_tracked"].item(), 1)

    def test_new_states_lie_beside_the_old_or_over_them(self) -> None:
        file = reference("caches")
        model = file.Model(*file.get_init_inputs())
        inputs = file.get_inputs()
        program = Program(load_library(str(project("caches") / "program.so")))
        state = {name: value.clone() for name, value in model.state_dict().items()}
        given = {name: value.clone() for name, value in state.items()}
        program.prepare(state)
        outputs, beside = program.run(inputs, given)
        for name, value in given.items():
            self.assertTrue(torch.equal(value, state[name]), name)
        call = program.bind(inputs, given, in_place=True)
        call.run()
        with torch.no_grad():
            expected = model(*inputs)
        for got in (outputs[0], call.outputs[0]):
            torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)
        for name, value in beside.items():
            torch.testing.assert_close(value, model.state_dict()[name], rtol=1e-5, atol=1e-5)
            self.assertTrue(torch.equal(value, given[name]), name)

    def test_refuses_other_shapes_with_a_sentence(self) -> None:
        state = self.model.state_dict()
        self.program.prepare(state)
        with self.assertRaisesRegex(ProgramError, r"extent 13 on axis 1"):
            self.program.run([torch.zeros(33, 13), self.inputs[1]], state)

    def test_names_what_it_lacks(self) -> None:
        with self.assertRaisesRegex(ProgramError, "contract.weight"):
            self.program.prepare({"expand.weight": self.model.expand.weight})

    def test_wants_to_be_prepared(self) -> None:
        fresh = Program(self.program.library)
        with self.assertRaisesRegex(ProgramError, "before a successful prepare"):
            fresh.run(self.inputs, self.model.state_dict())


if __name__ == "__main__":
    unittest.main()
