# SPDX-License-Identifier: Apache-2.0
"""How what a candidate raises is told."""

from __future__ import annotations

import unittest

from stitchcuda_candidate.channel import Fault
from stitchcuda_candidate.module import told


class ToldTest(unittest.TestCase):
    def sentence_of(self, error: BaseException, without_gpu: bool = True) -> str:
        with self.assertRaises(Fault) as caught:
            with told("running forward", "/nowhere/model_new.py", without_gpu):
                raise error
        return str(caught.exception)

    def test_what_was_raised_is_named(self) -> None:
        self.assertIn("running forward raised ValueError: too few", self.sentence_of(ValueError("too\nfew")))

    def test_a_callback_without_memory_for_code_is_explained(self) -> None:
        self.assertIn("CFUNCTYPE", self.sentence_of(MemoryError()))
        self.assertNotIn("CFUNCTYPE", self.sentence_of(MemoryError("of your own")))
        self.assertNotIn("CFUNCTYPE", self.sentence_of(MemoryError(), without_gpu=False))


if __name__ == "__main__":
    unittest.main()
