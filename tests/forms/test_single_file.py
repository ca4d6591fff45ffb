# SPDX-License-Identifier: Apache-2.0
"""kernelbench_solution.py: its text, its CUDA on the emulated device, its Python over a stand-in for the extension."""

import json
import re
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import torch
from torch.utils import _pytree as pytree

from .support import project, reference, succeed
from stitchcuda_runtime import Program, load_library

PROGRAM = "batch_norm_net"


class Extension:
    """What load_inline would return, for CPU tensors: the same CUDA through the emulated device."""

    def __init__(self, library: str) -> None:
        self.library = load_library(library)

    def Program(self) -> "Bound":  # noqa: N802 - the extension's name
        return Bound(Program(self.library))


class Bound:
    """The extension's Program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def parameter_names(self) -> list[str]:
        return [spec.name for spec in self.program.parameters]

    def state_names(self) -> list[str]:
        return [spec.name for spec in self.program.states]

    def bind(self, parameters: list, states: list) -> None:
        self.parameters = dict(zip(self.parameter_names(), parameters))
        self.states = dict(zip(self.state_names(), states))

    def forward(self, inputs: list) -> list:
        self.program.prepare(self.parameters)
        outputs, new = self.program.run(inputs, self.states)
        for name, value in new.items():
            self.states[name].copy_(value)
        return outputs


class SingleFileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.text = (project(PROGRAM) / "kernelbench_solution.py").read_text()
        cls.cuda = cls.text.split('cuda_source = r"""\n')[1].split('"""')[0]
        cls.folder = tempfile.TemporaryDirectory()
        folder = Path(cls.folder.name)
        (folder / "all.cu").write_text(cls.cuda)
        bundle = {"schema": "stitchcuda.bundle/1", "name": PROGRAM, "files": ["all.cu"], "units": ["all.cu"]}
        (folder / "bundle.json").write_text(json.dumps(bundle))
        succeed("build", str(folder), "--device", "emulated", "--out", str(folder / "all.so"))
        cls.extension = Extension(str(folder / "all.so"))

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def solution(self) -> types.ModuleType:
        """The file as the evaluator runs it: by exec of its text."""
        module = types.ModuleType("solution")
        with mock.patch("torch.utils.cpp_extension.load_inline", return_value=self.extension) as build:
            exec(compile(self.text, "solution", "exec"), module.__dict__)
        self.assertTrue(build.call_args.kwargs["no_implicit_headers"])
        return module

    def test_a_header_that_a_condition_asks_for_stays_under_it(self) -> None:
        self.assertIn("#ifdef STITCH_NVTX\n#include <nvtx3/nvToolsExt.h>\n#endif\n", self.cuda)
        self.assertEqual(self.cuda.count("nvToolsExt.h"), 1)

    def test_has_everything_in_it_once(self) -> None:
        self.assertNotIn('#include "', self.text)
        headers = re.findall(r"#include <(.*)>", self.cuda)
        self.assertEqual(len(headers), len(set(headers)))
        self.assertEqual(self.cuda.count("stitch_program_v1(void) {"), 1)

    def test_keeps_no_forward_of_the_reference(self) -> None:
        self.assertEqual(self.text.count("def forward("), 1)
        self.assertNotIn("torch.relu", self.text)

    def test_has_none_of_what_static_checks_refuse(self) -> None:
        code = "\n".join(line.split("#")[0].split("//")[0] for line in self.text.splitlines())
        for pattern in (r"\btry\s*:", r"\bexcept\b", r"\bpass\b", "threading", "torch.cuda.Stream"):
            self.assertIsNone(re.search(pattern, code), pattern)

    def test_computes_what_eager_computes(self) -> None:
        file, solution = reference(PROGRAM), self.solution()
        made = []
        for kind in (file.Model, solution.ModelNew):
            torch.manual_seed(42)
            made.append(kind(*file.get_init_inputs()))
        old, new = made
        inputs = file.get_inputs()
        with torch.no_grad():
            for _ in range(2):
                expected, got = old(*inputs), new(*inputs)
                self.assertEqual(pytree.tree_structure(expected), pytree.tree_structure(got))
                for wanted, value in zip(pytree.tree_leaves(expected), pytree.tree_leaves(got)):
                    torch.testing.assert_close(value, wanted, rtol=1e-5, atol=1e-5)
                for model in made:
                    model.contract = torch.nn.Linear(20, 7, bias=False)
                new.load_state_dict(old.state_dict())
        for name, value in old.state_dict().items():
            torch.testing.assert_close(new.state_dict()[name], value, rtol=1e-5, atol=1e-5)

    def test_refuses_the_other_mode(self) -> None:
        file = reference(PROGRAM)
        model = self.solution().ModelNew(*file.get_init_inputs()).eval()
        with self.assertRaisesRegex(RuntimeError, "compiled in train mode"):
            model(*file.get_inputs())


if __name__ == "__main__":
    unittest.main()
