# SPDX-License-Identifier: Apache-2.0
"""A program that was imported is not exported again for its reference, its weights and its Python forms."""

from __future__ import annotations

import hashlib
import os
import tempfile
import unittest
from typing import Any
from unittest import mock

from stitchcuda_python.graph import export, known

from .support import ServerCase, model

TIED = model("x = self.norm(x); return self.b(self.a(x)) + x", "self.a = nn.Linear(8, 8); self.b = nn.Linear(8, 8); "
             "self.b.weight = self.a.weight; self.norm = nn.BatchNorm1d(8)")
LITERAL = model("return x * torch.tensor([1.0, 2.0] * 4)")


class Known(ServerCase):
    def setUp(self) -> None:
        known._known.clear()

    def answers(self, path: str) -> tuple[Any, dict[str, str], int]:
        """What reference, weights and forms are, the files among them, and how often was exported."""
        exports = mock.Mock(side_effect=export.torch.export.export)
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(export.torch.export, "export", exports):
            opened = self.ok("oracle.open", file=path, seed=3, folder=folder)
            self.ok("oracle.draw", oracle=opened["oracle"], regime="near_equal", draw=1, keep=True)
            self.ok("oracle.close", oracle=opened.pop("oracle"))
            self.ok("weights", file=path, seed=3, path=os.path.join(folder, "weights"))
            files = {}
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), "rb") as stream:
                    files[name] = hashlib.sha256(stream.read()).hexdigest()
            return (opened, self.ok("forms", file=path)), files, exports.call_count

    def test_the_same_without_another_export(self) -> None:
        path = self.file(TIED, "tied.py")
        *wanted, exports = self.answers(path)
        self.assertEqual(exports, 3)
        self.ok("import", file=path)
        *made, exports = self.answers(path)
        self.assertEqual(made, wanted)
        self.assertEqual(exports, 0)

    def test_tensors_of_literals_come_from_an_export(self) -> None:
        path = self.file(LITERAL, "literal.py")
        *wanted, _ = self.answers(path)
        self.ok("import", file=path)
        *made, exports = self.answers(path)
        self.assertEqual(made, wanted)
        self.assertEqual(exports, 3)  # reference, weights, and the literal's values for the forms

    def test_a_file_that_was_changed_is_another_program(self) -> None:
        path = self.file(TIED, "changed.py")
        self.ok("import", file=path)
        self.file(TIED.replace("self.b(self.a(x)) + x", "torch.relu(self.b(self.a(x)))"), "changed.py")
        self.assertEqual(self.answers(path)[2], 3)

    def test_no_more_are_kept_than_a_verdict_asks_for(self) -> None:
        path = self.file(TIED, "kept.py")
        for batch in range(2, 2 + known._MAX_KNOWN + 2):
            with mock.patch.object(known, "export_request") as exported:
                exported.return_value = export.Exported(mock.Mock(), known.FunctionalProgram([], [], []), True)
                known.export_and_keep(known.Request(path, input_shapes=[[batch, 8]]))
        self.assertEqual(len(known._known), known._MAX_KNOWN)


if __name__ == "__main__":
    unittest.main()
