# SPDX-License-Identifier: Apache-2.0
"""Every problem imports the same way twice, is as large as SIZES says, passes the gate at both kinds of size."""

from __future__ import annotations

import json
import unittest
from typing import Any

from stitchcuda_python.program.source import integer_constants, parse_source, read_source
from stitchcuda_python.shapes.sizes_file import SizesRow

from .support import ServerCase, problem, problems

EXPECTED_TARGETS = {
    "mlp_residual.py": ["linear", "gelu", "linear", "add"],
    "conv_bn_relu_pool.py": ["conv2d", "add", "_native_batch_norm_legit_functional", "relu", "max_pool2d"],
    "layernorm_linear_softmax.py": ["layer_norm", "linear", "softmax"],
    "embedding_linear_cross_entropy.py": ["embedding", "linear", "view", "view", "cross_entropy_loss"],
}


class ProblemsTest(ServerCase):
    _imported: dict[str, Any] = {}

    def small(self, row: SizesRow) -> Any:
        """The exported program at small size, imported once for all tests."""
        if row.file not in self._imported:
            self._imported[row.file] = self.ok("import", file=problem(row), overrides=row.small)
        return self._imported[row.file]

    def test_the_table_lists_every_size_of_every_problem(self) -> None:
        self.assertGreaterEqual(len(problems()), 6)
        for row in problems():
            known = integer_constants(parse_source(read_source(problem(row)), row.file))
            constants = {name: value for name, value in known.items() if "[" not in name}  # lists have no sizes here
            self.assertEqual(row.full, constants, row.file)
            self.assertEqual(set(row.small), set(constants), row.file)

    def test_counted_work_is_what_the_table_says(self) -> None:
        for row in problems():
            full = self.ok("import", file=problem(row))["flops"]
            small = self.small(row)["flops"]
            self.assertAlmostEqual(full / 1e9, row.full_gflop, delta=0.01 * row.full_gflop, msg=row.file)
            self.assertAlmostEqual(small / 1e6, row.small_mflop, delta=0.01 * row.small_mflop, msg=row.file)
            self.assertGreaterEqual(small, 10e6, row.file)

    def test_the_same_file_gives_the_same_text(self) -> None:
        for row in problems():
            first = json.dumps(self.small(row))
            again = json.dumps(self.ok("import", file=problem(row), overrides=row.small))
            self.assertEqual(first, again, row.file)

    def test_operators_places_and_names(self) -> None:
        for row in problems():
            exported = self.small(row)
            targets = [node["target"].split(".")[1] for node in exported["nodes"]]
            self.assertEqual(EXPECTED_TARGETS.get(row.file, targets), targets)
            self.assertTrue(all(node["place"].startswith(row.file + ":") for node in exported["nodes"]), row.file)
            made = [out["name"] for node in exported["nodes"] for out in node["outputs"] if out["name"]]
            names = made + [value["name"] for value in exported["values"]]
            self.assertEqual(len(names), len(set(names)))
            self.assertTrue(all(name.isidentifier() for name in names))

    def test_train_mode_updates_running_statistics(self) -> None:
        row = next(row for row in problems() if row.file == "conv_bn_relu_pool.py")
        exported = self.small(row)
        states = {value["binding"] for value in exported["values"] if value["role"] == "state"}
        self.assertEqual(states, {"norm.running_mean", "norm.running_var", "norm.num_batches_tracked"})
        self.assertEqual({out["binding"] for out in exported["outputs"] if out["role"] == "state"}, states)
        self.assertEqual(exported["mode"], "train")
        frozen = self.ok("import", file=problem(row), overrides=row.small, mode="eval")
        self.assertEqual([out["role"] for out in frozen["outputs"]], ["output"])
        self.assertEqual(frozen["mode"], "eval")

    def test_the_small_scale_is_the_written_one(self) -> None:
        for row in problems():
            chosen = self.ok("small_scale", file=problem(row), budget_seconds=0.15)
            self.assertEqual(chosen["overrides"], row.small, row.file)


if __name__ == "__main__":
    unittest.main()
