# SPDX-License-Identifier: Apache-2.0
"""What is found in C++ and CUDA sources. Each file of native_source/ says at its own lines what is told of them:
`// fact: ...`, `// audit: ...` where a person should look, `// refused: ...`,
`// uncompilable: ...`; and nothing else may be told."""

import json
import os
import pathlib
import re
import subprocess
import sysconfig
import tempfile
import unittest

import torch

from stitchcuda_source.reader import Unreadable, read_unit

CASES = pathlib.Path(__file__).resolve().parent / "native_source"
ROOT = CASES.parents[2]
EMULATOR = ROOT / "emulator" / "include"
BUILD = ROOT / os.environ.get("STITCHCUDA_BUILD", "build")
EXPECTED = re.compile(r"// (fact|audit|refused|uncompilable)(?: (-\d+))?: (.*)$")


def cuda_include() -> str:
    """Where the program itself finds CUDA's headers."""
    told = subprocess.run([BUILD / "stitchcuda", "doctor", "--json"], stdout=subprocess.PIPE, check=False).stdout
    return next(each["what"] for each in json.loads(told)["findings"] if each["name"] == "CUDA headers")


def command(text: str, include: str) -> list[str]:
    words = ["g++", "-std=c++20", "-w", "-I", str(EMULATOR), "-I", ".", "-isystem", include]
    if "torch/extension.h" not in text:
        return words + ["-include", "stitch_emulator.h"]
    of_torch = pathlib.Path(torch.__file__).parent / "include"
    words += ["-I", str(EMULATOR / "stitch_emulator" / "torch"), "-DTORCH_EXTENSION_NAME=extension"]
    for folder in (of_torch, of_torch / "torch" / "csrc" / "api" / "include", sysconfig.get_path("include")):
        words += ["-isystem", str(folder)]
    return words + ["-include", "stitch_emulator_torch.h"]


def told_of(text: str, include: str) -> set[tuple[int, str, str]]:
    """(line, how, what) of each fact."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "unit.cu").write_text(text)
        subprocess.run(
            [BUILD / "stitchcuda-rewrite", "--for-reading", "--into", f"{folder}/into", "unit.cu"],
            cwd=folder,
            check=True,
        )
        here = os.getcwd()
        try:
            facts = read_unit(
                command(text, include),
                "unit.cu",
                pathlib.Path(folder) / "into",
                EMULATOR / "stitch_emulator" / "for_reading.h",
            )
        finally:
            os.chdir(here)
    how = {(False, False): "fact", (True, False): "audit", (True, True): "refused", (False, True): "refused"}
    return {
        (fact.line, "uncompilable" if fact.uncompilable else how[fact.audit, fact.refused], fact.what) for fact in facts
    }


def expected_of(text: str) -> set[tuple[int, str, str]]:
    found = set()
    for number, line in enumerate(text.splitlines(), 1):
        match = EXPECTED.search(line)
        if match:
            found.add((number + int(match[2] or 0), match[1], match[3]))
    return found


class NativeSourceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.include = cuda_include()

    def test_every_case(self) -> None:
        for path in sorted(CASES.glob("*.case")):
            with self.subTest(case=path.name):
                text = path.read_text()
                self.assertEqual(told_of(text, self.include), expected_of(text))

    def test_what_does_not_compile_is_a_sentence(self) -> None:
        with self.assertRaises(Unreadable) as caught:
            told_of('#include "not_there.h"\n', self.include)
        self.assertIn("not_there.h", str(caught.exception))

    def test_a_deep_expression_ends(self) -> None:
        told = told_of("int run(int a) { return " + "(" * 200 + "a" + ")" * 200 + "; }\n", self.include)
        self.assertEqual(told, set())


if __name__ == "__main__":
    unittest.main()
