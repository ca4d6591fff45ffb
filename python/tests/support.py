# SPDX-License-Identifier: Apache-2.0
"""What the tests share: requests answered in this process, small programs in temporary files, reading raw tensors."""

from __future__ import annotations

import os
import tempfile
import unittest
from typing import Any

import torch
from stitchcuda_python.capture import Capture
from stitchcuda_python.server import answer, load_verbs
from stitchcuda_python.shapes.sizes_file import SizesRow, read_sizes

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")
DTYPES = {
    "float32": torch.float32,
    "float64": torch.float64,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "int64": torch.int64,
    "bool": torch.bool,
}

HEADER = "import torch\nimport torch.nn as nn\n"
INPUTS = "def get_inputs():\n    return [torch.randn(4, 8)]\ndef get_init_inputs():\n    return []\n"


def model(forward: str, constructor: str = "pass", inputs: str = INPUTS) -> str:
    """The text of a KernelBench-style file; `forward` and `constructor` are single lines."""
    return (
        f"{HEADER}class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        {constructor}\n"
        f"    def forward(self, x):\n        {forward}\n{inputs}"
    )


def problems() -> list[SizesRow]:
    """The rows of problems/SIZES."""
    return read_sizes(os.path.join(PROBLEMS, "SIZES"))


def problem(row: SizesRow) -> str:
    """The path of a problem's file."""
    return os.path.abspath(os.path.join(PROBLEMS, row.file))


class ServerCase(unittest.TestCase):
    """Answers requests as the server does, without a second process."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.verbs = load_verbs()
        cls.capture = Capture()
        cls._folder = tempfile.TemporaryDirectory()
        cls.folder = cls._folder.name

    @classmethod
    def tearDownClass(cls) -> None:
        cls._folder.cleanup()

    def request(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """The whole answer."""
        return answer({"verb": verb, "arguments": arguments}, self.verbs, self.capture, lambda message: None)

    def ok(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a request that must succeed."""
        reply = self.request(verb, **arguments)
        if "ok" not in reply:
            self.fail(f"{verb}: {reply['error']['sentence']}\n{reply['error'].get('trace', '')[-2000:]}")
        return reply["ok"]

    def error(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """The error of a request that must fail."""
        reply = self.request(verb, **arguments)
        self.assertIn("error", reply, f"{verb} succeeded")
        return reply["error"]

    def file(self, text: str | bytes, name: str = "program.py") -> str:
        """Writes a program and returns its path."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as stream:
            stream.write(text if isinstance(text, bytes) else text.encode())
        return path

    def open(self, file: str, **arguments: Any) -> dict[str, Any]:
        """Opens an oracle whose draws go to this case's folder."""
        return self.ok("oracle.open", file=file, folder=self.folder, **arguments)


def read(path: str, dtype: torch.dtype, shape: list[int]) -> torch.Tensor:
    """A raw tensor file."""
    with open(path, "rb") as stream:
        data = bytearray(stream.read())
    return torch.frombuffer(data, dtype=dtype).reshape(shape).clone() if data else torch.empty(shape, dtype=dtype)


def read_result(entry: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    """All files of one output of a draw: ref64, native, runs."""
    dtype = DTYPES[spec["dtype"]]
    wide = torch.float64 if dtype.is_floating_point else torch.int64
    return {
        "ref64": read(entry["ref64"], wide, spec["shape"]),
        "native": read(entry["native"], dtype, spec["shape"]),
        "runs": [read(path, dtype, spec["shape"]) for path in entry["runs"]],
    }
