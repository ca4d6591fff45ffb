# SPDX-License-Identifier: Apache-2.0
"""model_new.py on CPU tensors, hence on the emulated device, against the class that it replaces."""

import copy
import io
import pickle
import unittest

import torch
from torch.utils import _pytree as pytree

from .support import PROGRAMS, model_new, project, reference, succeed

PROGRAM = "batch_norm_net"


class ModuleCase(unittest.TestCase):
    def setUp(self) -> None:
        self.file, self.made = reference(PROGRAM), model_new(PROGRAM)
        self.old, self.new = self.pair()
        self.inputs = self.file.get_inputs()

    def pair(self):
        """Reference and ModelNew, constructed under the same seed."""
        made = []
        for kind in (self.file.Model, self.made.ModelNew):
            torch.manual_seed(11)
            made.append(kind(*self.file.get_init_inputs()))
        return made

    def check_same(self, old, new, *inputs) -> None:
        with torch.no_grad():
            expected, got = old(*inputs), new(*inputs)
        self.assertEqual(pytree.tree_structure(expected), pytree.tree_structure(got))
        for wanted, value in zip(pytree.tree_leaves(expected), pytree.tree_leaves(got)):
            torch.testing.assert_close(value, wanted, rtol=1e-5, atol=1e-5)
        for name, value in old.state_dict().items():
            torch.testing.assert_close(new.state_dict()[name], value, rtol=1e-5, atol=1e-5)


class CandidateTest(unittest.TestCase):
    def test_verify_judges_it_beside_the_single_file(self) -> None:
        folder = project(PROGRAM)
        self.assertTrue((folder / "kernelbench_solution.py").exists())
        answer = succeed(
            "verify", "--candidate", str(folder / "model_new.py"), "--program", str(PROGRAMS / f"{PROGRAM}.py"),
            "--device", "emulated", "--quiet",
        )  # fmt: skip
        self.assertEqual((answer["verdict"]["kind"], answer["candidate"]["class"]), ("ok", "clean"))


class StandsForTheReference(ModuleCase):
    def test_same_parameters_under_the_same_seed(self) -> None:
        self.assertEqual(list(self.old.state_dict()), list(self.new.state_dict()))
        for name, value in self.old.state_dict().items():
            self.assertTrue(torch.equal(value, self.new.state_dict()[name]), name)

    def test_computes_the_same_and_updates_the_same_buffers(self) -> None:
        for _ in range(3):
            self.check_same(self.old, self.new, *self.inputs)
        self.assertEqual(self.new.norm.num_batches_tracked.item(), 3)

    def test_state_dicts_go_both_ways(self) -> None:
        torch.manual_seed(12)
        other = self.file.Model(*self.file.get_init_inputs())
        self.new.load_state_dict(other.state_dict())
        self.check_same(other, self.new, *self.inputs)
        back = self.file.Model(*self.file.get_init_inputs())
        back.load_state_dict(self.new.state_dict())
        self.check_same(back, self.new, *self.inputs)

    def test_takes_keywords_as_forward_names_them(self) -> None:
        with torch.no_grad():
            expected = self.old(*self.inputs)["scores"]
            got = self.new(shift=self.inputs[1], x=self.inputs[0])["scores"]
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)

    def test_takes_strided_inputs(self) -> None:
        wide = torch.randn(12, 66).t()[::2]
        shift = torch.randn(34, 7)[1:]
        self.check_same(self.old, self.new, wide, shift)


class HoldsStateAsPlainAttributes(unittest.TestCase):
    def test_state_goes_from_call_to_call_and_stays_out_of_the_state_dict(self) -> None:
        file, made = reference("plain_state"), model_new("plain_state")
        old, new = file.Model(9), made.ModelNew(9)
        new.load_state_dict(old.state_dict())
        self.assertEqual(list(new.state_dict()), ["cell.weight", "cell.bias"])
        for _ in range(3):
            inputs = file.get_inputs()
            with torch.no_grad():
                torch.testing.assert_close(new(*inputs), old(*inputs), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(new.hidden, old.hidden, rtol=1e-5, atol=1e-5)
        self.assertEqual(new.calls.item(), 3)


class WritesIntoCaches(unittest.TestCase):
    def test_rows_of_one_call_are_there_in_the_next(self) -> None:
        file, made = reference("caches"), model_new("caches")
        old, new = file.Model(3), made.ModelNew(3)
        new.load_state_dict(old.state_dict())
        for _ in range(3):
            inputs = file.get_inputs()
            with torch.no_grad():
                torch.testing.assert_close(new(*inputs), old(*inputs), rtol=1e-5, atol=1e-5)
        for name, value in old.state_dict().items():
            torch.testing.assert_close(new.state_dict()[name], value, rtol=1e-5, atol=1e-5)


class HoldsComplexNumbers(unittest.TestCase):
    def test_weights_and_states_are_those_of_the_reference(self) -> None:
        file, made = reference("complex_state"), model_new("complex_state")
        old, new = file.Model(5, 12), made.ModelNew(5, 12)
        new.load_state_dict(old.state_dict())
        for _ in range(2):
            inputs = file.get_inputs()
            with torch.no_grad():
                new.b.mul_(1.5)
                old.b.mul_(1.5)
                torch.testing.assert_close(new(*inputs), old(*inputs), rtol=1e-4, atol=1e-4)
        self.assertTrue(new.h.is_complex())
        torch.testing.assert_close(new.h, old.h, rtol=1e-4, atol=1e-4)


class SeesChanges(ModuleCase):
    def change(self, action) -> None:
        self.check_same(self.old, self.new, *self.inputs)
        for model in (self.old, self.new):
            with torch.no_grad():
                action(model)
        self.check_same(self.old, self.new, *self.inputs)

    def test_in_place(self) -> None:
        self.change(lambda model: model.expand.weight.mul_(1.5))

    def test_of_a_buffer(self) -> None:
        self.change(lambda model: model.scale.add_(1.0))

    def test_by_replacement(self) -> None:
        value = torch.randn(7, 20)
        self.change(lambda model: setattr(model.contract, "weight", torch.nn.Parameter(value.clone())))

    def test_of_data(self) -> None:
        value = torch.randn(20, 12)
        self.change(lambda model: setattr(model.expand.weight, "data", value.clone()))

    def test_of_a_whole_layer(self) -> None:
        layer = torch.nn.Linear(20, 7, bias=False)
        self.change(lambda model: setattr(model, "contract", copy.deepcopy(layer)))

    def test_by_an_optimizer(self) -> None:
        def step(model) -> None:
            for parameter in model.parameters():
                parameter.grad = torch.full_like(parameter, 0.1)
            torch.optim.SGD(model.parameters(), lr=0.5).step()

        self.change(step)


class HasCopies(ModuleCase):
    def test_two_instances_keep_to_their_own(self) -> None:
        _, other = self.pair()
        with torch.no_grad():
            other.expand.weight.zero_()
            first = self.new(*self.inputs)["scores"]
            other(*self.inputs)
            self.old.norm.reset_running_stats()
            torch.testing.assert_close(first, self.old(*self.inputs)["scores"], rtol=1e-5, atol=1e-5)
        self.assertEqual(self.new.norm.num_batches_tracked.item(), 1)

    def test_deep_copies(self) -> None:
        self.check_same(self.old, self.new, *self.inputs)
        twin = copy.deepcopy(self.new)
        self.check_same(copy.deepcopy(self.old), twin, *self.inputs)
        self.assertEqual(self.new.norm.num_batches_tracked.item(), 1)

    def test_pickles(self) -> None:
        self.check_same(self.old, self.new, *self.inputs)
        twin = pickle.loads(pickle.dumps(self.new))
        self.check_same(copy.deepcopy(self.old), twin, *self.inputs)
        stream = io.BytesIO()
        torch.save(self.new.state_dict(), stream)
        stream.seek(0)
        self.old.load_state_dict(torch.load(stream, weights_only=True))


class Refuses(ModuleCase):
    def refused(self, sentence: str, action) -> None:
        with self.assertRaisesRegex(RuntimeError, sentence), torch.no_grad():
            action()

    def test_other_shapes(self) -> None:
        self.refused(
            r"input x of shape \(2\.\.\d+, 12\); it was given \(33, 13\)",
            lambda: self.new(torch.zeros(33, 13), self.inputs[1]),
        )

    def test_other_types(self) -> None:
        self.refused(
            "as torch.float32; it was given torch.float64", lambda: self.new(self.inputs[0].double(), self.inputs[1])
        )
        self.refused(
            "parameter expand.weight as torch.float32; it was given torch.float64",
            lambda: copy.deepcopy(self.new).double()(*self.inputs),
        )

    def test_other_devices(self) -> None:
        self.refused("is on meta", lambda: self.new(self.inputs[0].to("meta"), self.inputs[1]))

    def test_other_arguments(self) -> None:
        self.refused("takes arguments of the structure", lambda: self.new(self.inputs[0]))
        self.refused("takes a tensor where it was given 3", lambda: self.new(self.inputs[0], 3))

    def test_the_other_mode(self) -> None:
        self.refused("compiled in train mode", self.new.eval)
        self.new.norm.eval()
        self.refused("batch_norm_net.norm was compiled in train mode", lambda: self.new(*self.inputs))

    def test_gradients(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "forward pass only"):
            self.new(*self.inputs)
        self.new.requires_grad_(False)
        self.new(*self.inputs)

    def test_another_constructor_call(self) -> None:
        self.refused("compiled with width = 20", lambda: self.made.ModelNew(21))
        self.made.ModelNew(width=20)


if __name__ == "__main__":
    unittest.main()
