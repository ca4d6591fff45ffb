# SPDX-License-Identifier: Apache-2.0
"""A safetensors file, altered: it is read, or refused in a sentence, soon. Never does another exception come out."""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
import unittest

import torch

from stitchcuda_python.failures import PROGRAM_INVALID, Failure
from stitchcuda_python.weights.safetensors_file import write_safetensors
from stitchcuda_python.weights.safetensors_reader import read_safetensors

ROUNDS = 1500
WHOLE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
INTERESTING = ["9" * 5000, "-1", "1e400", "NaN", "true", "null", '""', "[]", "{}", "[" * 3000, '"\\ud800"', "2e0"]

# header, and what the sentence must contain
WRONG = {
    "an extent that is a float": ({"a": {**WHOLE, "shape": [2.0]}}, "its entry for a is incomplete"),
    "an extent that is true": ({"a": {**WHOLE, "shape": [2, True]}}, "its entry for a is incomplete"),
    "a negative extent": ({"a": {**WHOLE, "shape": [-2]}}, "its entry for a is incomplete"),
    "no data, and an extent beyond all": (
        {"a": {**WHOLE, "shape": [0, 1 << 70], "data_offsets": [0, 0]}},
        "incomplete",
    ),
    "more axes than a tensor has": ({"a": {**WHOLE, "shape": [1] * 5000 + [2]}}, "the place of a does not fit"),
    "offsets in the wrong order": ({"a": {**WHOLE, "data_offsets": [8, 0]}}, "the place of a does not fit"),
    "offsets beyond the end": ({"a": {**WHOLE, "data_offsets": [8, 16]}}, "the place of a does not fit"),
    "offsets near 2**64": ({"a": {**WHOLE, "data_offsets": [(1 << 64) - 8, 1 << 64]}}, "incomplete"),
    "three offsets": ({"a": {**WHOLE, "data_offsets": [0, 8, 8]}}, "its entry for a is incomplete"),
    "two tensors in one place": ({"a": WHOLE, "b": WHOLE}, "a and b lie in the same place"),
    "an unknown element type": ({"a": {**WHOLE, "dtype": "F4"}}, "holds a as F4, an element type"),
    "an element type that is a list": ({"a": {**WHOLE, "dtype": ["F32"]}}, "its entry for a is incomplete"),
    "an entry that is a number": ({"a": 3}, "its entry for a is incomplete"),
    "a header that is a list": ([WHOLE], "its header is no JSON object"),
    "a name with control characters": ({"a\x1b[2J\n": 3}, "its entry for a\\x1b[2J\\n is incomplete"),
    "an endless name": ({"a" * 100_000: 3}, "aaa… is incomplete"),
}


class AlteredWeightsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "altered.safetensors")

    def message(self, data: bytes) -> str:
        """What is said of a file of these bytes; empty when it is taken."""
        with open(self.path, "wb") as stream:
            stream.write(data)
        started = time.monotonic()
        try:
            read_safetensors(self.path)
            said = ""
        except Failure as failure:
            self.assertEqual(failure.code, PROGRAM_INVALID)
            self.assertTrue(failure.message.endswith(".") and failure.remedy, failure.message)
            self.assertLess(len(failure.message), 1000)
            failure.message.encode("utf-8")
            said = failure.message
        self.assertLess(time.monotonic() - started, 20)
        return said

    def test_wrong_headers_are_named(self) -> None:
        for about, (header, wanted) in WRONG.items():
            with self.subTest(about):
                self.assertIn(wanted, self.message(_file(json.dumps(header).encode())))

    def test_a_name_that_is_there_twice(self) -> None:
        entry = json.dumps(WHOLE)
        self.assertIn("a is there twice", self.message(_file(f'{{"a": {entry}, "a": {entry}}}'.encode())))

    def test_header_lengths(self) -> None:
        header = json.dumps({"a": WHOLE}).encode()
        self.assertEqual(self.message(_file(header)), "")
        for length in (
            0,
            1,
            len(header) - 1,
            len(header) + 1,
            len(header) + 9,
            1 << 31,
            1 << 32,
            1 << 63,
            (1 << 64) - 1,
        ):
            self.assertNotEqual(self.message(length.to_bytes(8, "little") + header + bytes(8)), "", length)

    def test_every_truncation(self) -> None:
        whole = self.whole()
        for length in range(len(whole)):
            self.assertNotEqual(self.message(whole[:length]), "", length)

    def test_random_alterations(self) -> None:
        drawn, whole = random.Random(7), self.whole()
        refused = sum(bool(self.message(_altered(whole, drawn))) for _ in range(ROUNDS))
        self.assertGreater(refused, ROUNDS // 3)

    def whole(self) -> bytes:
        tensors = {"linear.weight": torch.randn(3, 4), "n": torch.tensor(3), "none": torch.empty(0, 2)}
        write_safetensors(tensors, self.path)
        with open(self.path, "rb") as stream:
            return stream.read()


def _file(header: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header + bytes(8)


def _altered(whole: bytes, drawn: random.Random) -> bytes:
    """Bytes of the header changed, cut out, doubled, or a number in it replaced by what no number should be."""
    length = int.from_bytes(whole[:8], "little")
    header, data = bytearray(whole[8 : 8 + length]), whole[8 + length :]
    for _ in range(drawn.randint(1, 3)):
        at, other = sorted((drawn.randrange(len(header) + 1), drawn.randrange(len(header) + 1)))
        change = drawn.randrange(4)
        if change == 0 and at < len(header):
            header[at] = drawn.randrange(256)
        elif change == 1:
            del header[at : min(other, at + 8)]
        elif change == 2:
            header[at:at] = header[at : min(other, at + 40)]
        else:
            digits = [place for place, byte in enumerate(header) if chr(byte).isdigit()]
            if digits:
                place = drawn.choice(digits)
                header[place : place + 1] = drawn.choice(INTERESTING).encode()
    told = len(header) if drawn.random() < 0.9 else drawn.randrange(1 << 64)
    return told.to_bytes(8, "little") + bytes(header) + data


if __name__ == "__main__":
    unittest.main()
