# SPDX-License-Identifier: Apache-2.0
"""How what a candidate raises is told."""

from __future__ import annotations

import os
import tempfile
import unittest
from collections.abc import Callable

import torch
from stitchcuda_candidate.channel import Fault
from stitchcuda_candidate.host_device import HostDevice
from stitchcuda_candidate.module import told
from stitchcuda_candidate.raised import Provenance


def raise_(error: BaseException) -> None:
    """An expression's way to do so."""
    raise error


class ToldTest(unittest.TestCase):
    def fault_of(self, work: Callable[[], object], has_run: bool = False, file: str = "/nowhere/model_new.py") -> Fault:
        with self.assertRaises(Fault) as caught:
            with told("running forward", file, HostDevice(), Provenance(file, True), has_run):
                work()
        return caught.exception

    def sentence_of(self, error: BaseException) -> str:
        return self.fault_of(lambda: raise_(error)).message

    def test_what_was_raised_is_named(self) -> None:
        self.assertIn("running forward raised ValueError: too few", self.sentence_of(ValueError("too\nfew")))

    def test_a_callback_without_memory_for_code_is_explained(self) -> None:
        self.assertIn("CFUNCTYPE", self.sentence_of(MemoryError()))
        self.assertNotIn("CFUNCTYPE", self.sentence_of(MemoryError("of your own")))

    def test_words_choose_no_place(self) -> None:
        for error in (
            AssertionError("Torch not compiled with CUDA enabled"),
            RuntimeError("Found no NVIDIA driver on your system"),
            RuntimeError("CUDA error: an illegal memory access was encountered"),
            ImportError("No module named 'triton'", name="triton"),
            OSError("libcuda.so.1: cannot open shared object file"),
            Fault("this device lacks it", "unsupported"),
        ):
            self.assertEqual(self.fault_of(lambda: raise_(error)).location, "", str(error))

    def test_code_that_calls_itself_pytorchs_is_the_candidates(self) -> None:
        made: dict = {}
        text = "def _lazy_init():\n    raise AssertionError('Torch not compiled with CUDA enabled')"
        exec(compile(text, str(torch.cuda.__file__), "exec"), made)
        self.assertEqual(self.fault_of(made["_lazy_init"]).location, "")

    @unittest.skipIf(torch.cuda.is_available(), "a GPU is there")
    def test_whoever_asks_for_a_gpu_is_unsupported_before_its_first_call(self) -> None:
        self.assertEqual(self.fault_of(torch.cuda._lazy_init).location, "unsupported")
        self.assertEqual(self.fault_of(torch.cuda._lazy_init, has_run=True).location, "")

    def test_an_absent_package_is_what_an_import_names(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model_new.py")
            for text, location in (("import pycuda.autoinit", "unsupported"),
                                   ("raise ImportError('No module named pycuda', name='pycuda')", ""),
                                   ("import a_module_of_nobody", "")):  # fmt: skip
                with open(file, "w", encoding="utf-8") as stream:
                    stream.write(text)
                code = compile(text, file, "exec")
                self.assertEqual(self.fault_of(lambda: exec(code, {}), file=file).location, location, text)


if __name__ == "__main__":
    unittest.main()
