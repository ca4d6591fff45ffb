# SPDX-License-Identifier: Apache-2.0
"""How many tensors of an output's size the reference's disturbed runs hold at a time: a GPU holds few."""

import unittest
import weakref
from unittest import mock

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from stitchcuda_python.graph.functional import Call
from stitchcuda_python.oracle import arithmetic, interpret, places, rules
from stitchcuda_python.oracle.arithmetic import Arithmetic

PART = 1 << 10


class _Living(TorchDispatchMode):
    """Counts the bytes of storages that were made while it is open and are still there."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.most, self._known = 0, 0, set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        for item in pytree.tree_leaves(made):
            if isinstance(item, torch.Tensor):
                self._count(item.untyped_storage())
        return made

    def know(self, tensor: torch.Tensor) -> None:
        self._known.add(id(tensor.untyped_storage()))

    def _count(self, storage: torch.UntypedStorage) -> None:
        if id(storage) not in self._known:
            self._known.add(id(storage))
            self.now += storage.nbytes()
            self.most = max(self.most, self.now)
            weakref.finalize(storage, self._gone, id(storage), storage.nbytes())

    def _gone(self, known: int, size: int) -> None:
        self._known.discard(known)
        self.now -= size


class DriverTest(unittest.TestCase):
    def test_whoever_has_not_used_the_gpu_does_not_start_its_driver(self) -> None:
        with mock.patch.object(torch.cuda, "is_available", side_effect=AssertionError("asked")):
            places.release_unused()
            self.assertEqual(places.peak_bytes(), 0)


class DisturbedTest(unittest.TestCase):
    """What one call takes beside its operand, as a multiple of that operand; parts of it do not count."""

    def setUp(self) -> None:
        patch = mock.patch.object(arithmetic, "at_once", lambda tensor: PART)
        patch.start()
        self.addCleanup(patch.stop)
        self.x = torch.rand(256, 256, generator=torch.Generator().manual_seed(1)) + 0.5
        self.made_by = Arithmetic(torch.Generator().manual_seed(2), None)

    def taken(self, call) -> float:
        with _Living() as living:
            living.know(self.x)
            made = call(self.made_by, self.x)
        true = call(Arithmetic(None, None), self.x.double())
        torch.testing.assert_close(made.double(), true, rtol=1e-4, atol=1e-4)
        self.assertTrue(bool((made != true.float()).any()))  # it was disturbed
        return living.most / (self.x.numel() * self.x.element_size())

    def test_a_product_takes_its_result_and_squares(self) -> None:
        # The result, the squares of both operands, and their product.
        self.assertLess(self.taken(lambda a, x: a.matmul(x, x)), 4.2)

    def test_a_running_sum_takes_its_result_and_its_size(self) -> None:
        self.assertLess(self.taken(lambda a, x: rules.RULES["cumsum"](a, x, 1)), 2.2)

    def test_a_sum_takes_parts(self) -> None:
        for dims in ([0], [1], [0, 1]):
            with self.subTest(dims):
                self.assertLess(self.taken(lambda a, x, dims=dims: a.sum(x, dims)), 0.3)

    def test_moments_take_what_is_centred_and_its_squares(self) -> None:
        self.assertLess(self.taken(lambda a, x: a.moments(x, [1])[1]), 2.4)

    def test_a_softmax_takes_its_result_and_parts(self) -> None:
        self.assertLess(self.taken(lambda a, x: a.softmax(x, 1)), 1.4)

    def test_a_layer_norm_takes_three(self) -> None:
        rule = rules.RULES["layer_norm"]
        # What is centred, its squares; then the result.
        self.assertLess(self.taken(lambda a, x: rule(a, x, [256], x[0].clone(), x[1].clone())), 2.6)


class AttentionTest(unittest.TestCase):
    def test_samples_at_a_time_give_the_same(self) -> None:
        q, k, v = (torch.rand(5, 2, length, 8, dtype=torch.float64) for length in (6, 7, 7))
        attention = torch.ops.aten.scaled_dot_product_attention.default
        for causal in (False, True):
            with mock.patch.object(interpret, "at_once", lambda tensor: 2 * 2 * 6 * 8):
                call = Call(attention, [], {}, [], "", False)
                parts = interpret.execute(call, [q, k, v, None, 0.0, causal], {})
            torch.testing.assert_close(parts, attention(q, k, v, None, 0.0, causal), rtol=1e-12, atol=0.0)


if __name__ == "__main__":
    unittest.main()
