# SPDX-License-Identifier: Apache-2.0
"""Outputs that stay with the oracle: tiles, what is certain there, and what is handed over in doubt."""

import os
import tempfile
import unittest

import torch

from stitchcuda_python.oracle import large
from stitchcuda_python.oracle.session import Session
from stitchcuda_python.oracle.tile_errors import TileErrors
from stitchcuda_python.oracle.tiling import Tiling
from stitchcuda_python.program.build import Request
from stitchcuda_python.weights.raw import read_raw, write_raw

PROGRAM = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(20, 70)
    def forward(self, x):
        y = torch.relu(self.fc(x))
        return y, y.sum()
def get_inputs():
    return [torch.randn(90, 20)]
def get_init_inputs():
    return []
"""

# Two experts that tie for the first seven tokens: rounding decides between them. The first output follows them.
TIED = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(20))
        self.v = torch.nn.Parameter(torch.randn(3, 20))
    def forward(self, x):
        s = x @ self.w
        d = s + (x[:, 0] - x[:, 1]) * 0.5
        k = torch.stack([s, d, s - 1e3], 1).topk(1, 1)[1][:, 0]
        return RESULT
def get_inputs():
    x = torch.randn(90, 20)
    x[:7, 1] = x[:7, 0] * (1 + 1e-7)
    return [x]
def get_init_inputs():
    return []
"""


class TilingTest(unittest.TestCase):
    def test_every_element_is_in_one_tile(self):
        for shape in [(3, 5), (40, 70), (7, 300), (5, 4097), (2, 3, 9000), (1000,), (3, 8192), (301, 1)]:
            tiling = Tiling(shape)
            end = 0
            for tile in range(tiling.count):
                first, last = tiling.range(tile)
                self.assertEqual(first, end, shape)
                end = last
            self.assertEqual(end, tiling.elements, shape)

    def test_pieces_hold_the_elements_of_their_tiles(self):
        for shape in [(3, 5), (40, 70), (5, 4097), (2, 3, 9000), (3, 8192)]:
            tiling = Tiling(shape)
            flat = torch.arange(tiling.elements, dtype=torch.float64)
            seen = 0
            for piece in tiling.pieces(flat.device):
                for row, tile in enumerate(range(piece.first, piece.last)):
                    values = piece.of(flat)[row]
                    kept = values if piece.valid is None else values[piece.valid[row]]
                    self.assertEqual(kept.tolist(), list(range(*tiling.range(tile))), (shape, tile))
                seen += piece.last - piece.first
            self.assertEqual(seen, tiling.count)


class TileErrorsTest(unittest.TestCase):
    def setUp(self):
        source = torch.Generator().manual_seed(5)
        self.truth = torch.randn(40, 70, dtype=torch.float64, generator=source)
        self.noise = [torch.randn(40, 70, dtype=torch.float64, generator=source) * 1e-6 for _ in range(3)]
        self.native = (self.truth + self.noise[0]).float()

    def errors(self):
        errors = TileErrors(self.truth, self.native, torch.finfo(torch.float32).eps)
        errors.take(self.native, is_base=True)
        for noise in self.noise[1:]:
            errors.take((self.truth + noise).float(), is_perturbed=True)
        errors.base_is_done()
        return errors

    def test_what_errs_like_the_reference_is_certain(self):
        doubt = self.errors().look_at((self.truth - self.noise[0]).float())
        self.assertEqual(doubt.tiles, [])
        self.assertEqual(doubt.elements, 2800)
        self.assertEqual(sum(count for _, count in doubt.ulps), 2800)
        self.assertLess(doubt.max_ratio, 2.0)
        self.assertGreater(doubt.max_ratio, 0.0)
        self.assertTrue(doubt.kernelbench_rule_ok)
        self.assertEqual(doubt.ill_conditioned, 0)

    def test_one_wrong_element_puts_its_tile_in_doubt(self):
        for wrong in (1.0, float("nan"), float("inf")):
            got = self.native.clone()
            got.view(-1)[1000] = got.view(-1)[1000] + wrong
            errors = self.errors()
            tiles = errors.look_at(got).tiles
            self.assertEqual(len(tiles), 1)
            first, last = errors.tiling.range(tiles[0])
            self.assertTrue(first <= 1000 < last)

    def test_the_worst_tile_comes_first(self):
        got = self.native.clone()
        got.view(-1)[5] += 0.1
        got.view(-1)[2000] += 10.0
        errors = self.errors()
        tiles = errors.look_at(got).tiles
        self.assertEqual(len(tiles), 2)
        self.assertGreater(tiles[0], tiles[1])

    def small_ones(self):
        """A large element a row, which gives tiles their budget, and small ones that all runs know."""
        self.truth *= 1e-7
        self.truth[:, 0] = 100.0
        self.noise = [noise * self.truth.abs() for noise in self.noise]
        self.native = (self.truth + self.noise[0]).float()
        return self.errors()

    def test_small_numbers_must_be_right_for_their_size(self):
        errors = self.small_ones()
        self.assertIsNone(errors.look_at((self.truth - self.noise[1]).float()).lost)
        lost = errors.look_at(torch.where(self.truth.abs() > 1, self.native, 0.0)).lost
        self.assertEqual((lost["got"], lost["expected"]), (0.0, float(self.truth.view(-1)[lost["element"]])))
        self.assertGreater(lost["known"], 64)

    def test_a_few_small_numbers_may_be_zero(self):
        errors = self.small_ones()
        got = self.native.clone()
        got.view(-1)[::50][1:] = 0.0
        self.assertIsNone(errors.look_at(got).lost)

    def test_small_numbers_that_coarser_runs_do_not_know_may_be_anything(self):
        errors = self.small_ones()
        errors.take_coarser((self.truth + 1e-6 * torch.randn_like(self.truth)).float())
        self.assertIsNone(errors.look_at(torch.where(self.truth.abs() > 1, self.native, 0.0)).lost)

    def coarse(self, rounds_openly=False):
        """Errors of a reference whose baseline rounds operands, as three runs do that hardly differ from it."""
        self.rounded = (self.truth + 1e-2 * torch.randn_like(self.truth)).float()
        errors = TileErrors(self.truth, self.rounded, torch.finfo(torch.float32).eps, rounds_openly)
        errors.take(self.native, is_base=True)
        errors.base_is_done()
        for _ in range(3):
            errors.take_coarser(self.rounded + 1e-6 * torch.randn_like(self.rounded))
        return errors

    def test_what_rounds_as_the_baseline_does_is_certain(self):
        errors = self.coarse()
        doubt = errors.look_at(self.rounded + 1e-6 * torch.randn_like(self.rounded))
        self.assertEqual((doubt.tiles, doubt.max_ratio < 2.0), ([], True))
        self.assertEqual(errors.look_at(self.native).tiles, [], "what does not round is so too")

    def test_other_roundings_of_the_same_size_are_in_doubt(self):
        other = (self.truth + 5e-3 * torch.randn_like(self.truth)).float()
        self.assertGreater(len(self.coarse().look_at(other).tiles), 0)
        self.assertEqual(self.coarse(rounds_openly=True).look_at(other).tiles, [])
        beyond = (self.truth + 0.1 * torch.randn_like(self.truth)).float()
        self.assertGreater(len(self.coarse(rounds_openly=True).look_at(beyond).tiles), 0)

    def test_where_the_library_rounds_otherwise_than_runs_either_is_certain(self):
        self.coarse()
        runs = [(self.truth + 1e-2).float() + 1e-6 * torch.randn_like(self.rounded) for _ in range(3)]
        errors = TileErrors(self.truth, self.rounded, torch.finfo(torch.float32).eps)
        errors.take(self.native, is_base=True)
        errors.base_is_done()
        for run in runs:
            errors.take_coarser(run)
        self.assertEqual(errors.look_at((self.truth + 1e-2).float()).tiles, [])
        self.assertEqual(errors.look_at(self.rounded).tiles, [])

    def test_infinities_must_be_where_the_reference_has_them(self):
        self.truth[3, 3] = float("inf")
        self.native = (self.truth + self.noise[0]).float()
        self.assertEqual(self.errors().look_at(self.native).tiles, [])
        got = self.native.clone()
        got[3, 3] = -float("inf")
        self.assertEqual(len(self.errors().look_at(got).tiles), 1)


class RangesTest(unittest.TestCase):
    def test_a_tile_at_an_end_brings_as_many_tiles_as_one_in_the_middle(self):
        rows = torch.zeros(100, 4096, dtype=torch.float64)
        errors = TileErrors(rows, rows.float(), 2**-23)
        row = 4096
        self.assertEqual(large._joined(errors, [0]), [(0, 32 * row)])
        self.assertEqual(large._joined(errors, [50]), [(34 * row, 67 * row)])
        self.assertEqual(large._joined(errors, [99]), [(68 * row, 100 * row)])
        self.assertEqual(large._joined(errors, [0, 50]), [(0, 32 * row), (34 * row, 67 * row)])


class StayingDrawTest(unittest.TestCase):
    def setUp(self):
        torch.set_num_threads(1)
        self.folder = tempfile.mkdtemp()
        self.before, large.MIN_BYTES = large.MIN_BYTES, 1 << 10
        self.session = self.opened(PROGRAM)

    def opened(self, program):
        file = os.path.join(self.folder, f"program_{len(os.listdir(self.folder))}.py")
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(program)
        return Session(Request(file), "fp32", 3, "cpu", self.folder)

    def tearDown(self):
        large.MIN_BYTES = self.before

    def test_what_is_in_doubt_comes_with_the_runs_of_a_plain_draw(self):
        plain = self.session.draw("as_given", 1)["outputs"]
        native = read_raw(plain[0]["native"], torch.empty(90, 70))
        runs = [read_raw(path, native) for path in plain[0]["runs"]]
        answer = self.session.draw("as_given", 1, stays=True)["outputs"]
        self.assertEqual(answer[0], {"name": answer[0]["name"], "kind": "float", "stays": True})
        self.assertIn("ref64", answer[1], "the sum is small, and comes as ever")
        got = native.clone()
        got.view(-1)[100] += 1.0
        place = {"handle": write_raw(got, os.path.join(self.folder, "got")), "offset": 0, "bytes": got.numel() * 4}
        seen = self.session.look_at([place, None], whole=False)
        self.assertIsNone(seen[1])
        self.assertEqual(seen[0]["in_doubt"], 1)
        first, last = Tiling((90, 70)).range(seen[0]["tiles"][0])
        self.assertTrue(first <= 100 < last)
        self.assertTrue(torch.equal(read_raw(seen[0]["got"], got), got))
        for path, run in zip(seen[0]["runs"], runs):
            self.assertTrue(torch.equal(read_raw(path, run).view(-1)[first:last], run.view(-1)[first:last]))

    def test_what_near_ties_change_is_handed_over_with_either_answer(self):
        made = self.opened(TIED.replace("RESULT", "x * self.v[k]")).draw("as_given", 0, stays=True)
        self.assertGreaterEqual(made["near_ties"], 7)
        self.assertNotIn("stays", made["outputs"][0])
        # All ties and each half of them; none and all with the lowest of equal elements first.
        self.assertEqual(len(made["outputs"][0]["otherwise"]), 5)

    def test_what_near_ties_leave_alone_stays_beside_them(self):
        made = self.opened(TIED.replace("RESULT", "x * s[:, None], self.v[k][:8].sum(1)")).draw(
            "as_given", 0, stays=True
        )
        self.assertGreaterEqual(made["near_ties"], 7)
        self.assertTrue(made["outputs"][0]["stays"])
        self.assertIn("otherwise", made["outputs"][1])

    def test_a_draw_that_is_over_is_not_looked_at(self):
        self.session.draw("as_given", 0, stays=True)
        self.session.rest()
        with self.assertRaises(Exception):
            self.session.look_at([None, None], whole=False)


if __name__ == "__main__":
    unittest.main()
