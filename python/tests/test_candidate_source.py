# SPDX-License-Identifier: Apache-2.0
"""What is read of a candidate's source before it runs: whatever stands there, a verdict follows."""

import os
import tempfile
import unittest

from stitchcuda_python.failures import PROGRAM_INVALID, Failure
from stitchcuda_python.verbs.candidate_verbs import MAX_SOURCE_BYTES, candidate_source


def facts_of(text: str) -> list:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model_new.py")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return candidate_source({"candidate": path}, print)["facts"]


def told(line: int, what: str, audit: bool) -> dict:
    return {"file": "model_new.py", "line": line, "what": what, "audit": audit, "refused": False, "uncompilable": False}


class SourceTest(unittest.TestCase):
    def test_names_are_resolved(self) -> None:
        self.assertEqual(
            facts_of("import torch.nn.functional as f\ny = f.relu(1)\n"),
            [told(2, "calls torch.nn.functional (torch.nn.functional.relu)", audit=False)],
        )

    def test_what_hides_sends_a_person_to_look(self) -> None:
        self.assertEqual(facts_of("exec('x = 1')\n"), [told(1, "runs text as code (exec)", audit=True)])

    def test_what_nests_too_deeply_to_be_walked_is_told(self) -> None:
        for text in ("x = " + "1+" * 700 + "1\n", "x = a" + ".b" * 700 + "\n"):
            self.assertEqual(facts_of(text), [told(1, "nests too deeply to be looked through", audit=True)])

    def test_a_large_file_is_refused_before_it_is_read(self) -> None:
        with self.assertRaises(Failure) as caught:
            facts_of("# " + "x" * MAX_SOURCE_BYTES)
        self.assertEqual(caught.exception.code, PROGRAM_INVALID)
        self.assertIn("larger than 4 MiB", caught.exception.message)


if __name__ == "__main__":
    unittest.main()
