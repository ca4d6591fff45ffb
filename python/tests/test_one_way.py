# SPDX-License-Identifier: Apache-2.0
"""Errors that go one way, found where a large output lies."""

import unittest

import torch
from stitchcuda_python.oracle.tile_errors import TileErrors


class OneWayErrors(unittest.TestCase):
    def setUp(self):
        source = torch.Generator().manual_seed(5)
        self.random = lambda *shape: torch.randn(*shape, dtype=torch.float64, generator=source)

    def errors(self, shape, dtype=torch.bfloat16):
        self.truth = self.random(*shape) * 3
        errors = TileErrors(self.truth, self.truth.to(dtype), torch.finfo(dtype).eps)
        errors.take(self.truth.to(dtype), is_base=True)
        for _ in range(3):
            errors.take((self.truth + self.random(*shape) * 0.03).to(dtype), is_perturbed=True)
        errors.base_is_done()
        return errors

    def farthest(self, shape, change, dtype=torch.bfloat16):
        errors = self.errors(shape, dtype)
        return errors.look_at(change(self.truth.clone()).to(dtype)).one_way

    def test_roundings_cancel(self):
        for shape in [(90, 70), (5, 4097), (7, 300)]:
            self.assertLess(self.farthest(shape, lambda right: right)["ratio"], 0.5, shape)

    def test_a_scale_or_an_offset_of_all_is_beyond(self):
        for shape in [(90, 70), (5, 4097), (7, 300)]:
            found = self.farthest(shape, lambda right: right * 1.05)
            self.assertGreater(found["ratio"], 4, shape)
            self.assertAlmostEqual(found["by"], 0.05, places=2)
            self.assertIsNone(found["element"])
            self.assertTrue(self.farthest(shape, lambda right: right - 0.2)["kind"] == "offset")

    def test_a_scale_of_one_row_is_beyond(self):
        def change(right):
            right[3] *= 0.93
            return right

        found = self.farthest((7, 300), change)
        self.assertGreater(found["ratio"], 1)
        self.assertEqual(found["element"], 900)
        self.assertLess(found["by"], 0)

    def test_a_scale_or_an_offset_of_one_column_is_beyond(self):
        def larger(right):
            right[:, 41] *= 1.05
            return right

        def higher(right):
            right[:, 41] += 0.3
            return right

        for change, kind in ((larger, "scale"), (higher, "offset")):
            found = self.farthest((600, 70), change)
            self.assertGreater(found["ratio"], 1)
            self.assertEqual((found["kind"], found["column"], found["element"]), (kind, 41, None))
            self.assertIsNone(self.farthest((200, 70), change)["column"], "too few elements")
        self.assertLess(self.farthest((600, 70), lambda right: right)["ratio"], 0.5)

    def test_errors_to_any_side_are_beyond_together(self):
        found = self.farthest((90, 70), lambda right: right * (1 + 0.05 * self.random(90, 70)))
        self.assertGreater(found["ratio"], 1)
        self.assertEqual(found["kind"], "together")

    def test_what_is_infinite_is_left_to_others(self):
        def change(right):
            right[0, 0] = float("inf")
            return right

        self.assertLess(self.farthest((7, 300), change)["ratio"], 0.5)

    def test_fine_types_and_few_elements_are_not_looked_at(self):
        self.assertIsNone(self.farthest((90, 70), lambda right: right * 1.05, torch.float32))
        self.assertIsNone(self.farthest((5, 9), lambda right: right * 1.05))


if __name__ == "__main__":
    unittest.main()
