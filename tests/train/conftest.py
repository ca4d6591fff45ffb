# SPDX-License-Identifier: Apache-2.0
"""What the suites here share: the program that trains."""
from __future__ import annotations

import json
import pathlib
import subprocess
from collections.abc import Callable

import pytest

TrainTokenizer = Callable[[pathlib.Path, list[str], int], None]


@pytest.fixture(scope="session")
def program(build: pathlib.Path) -> pathlib.Path:
    found = build / "stitchcuda-train"
    if not found.exists():
        pytest.skip("stitchcuda-train is not built: CMake found no LibTorch (STITCH_TRAIN), or neither PCRE2 nor ICU")
    return found


@pytest.fixture(scope="session")
def train_tokenizer(build: pathlib.Path) -> TrainTokenizer:
    """Writes a byte-level tokenizer.json of so many tokens, with ChatML's control tokens."""
    probe = build / "models-probe"
    if not probe.exists():
        pytest.skip("there is no models-probe, which needs PCRE2 and ICU: tools/setup --tests, then tools/build")

    def train(to: pathlib.Path, texts: list[str], vocab_size: int) -> None:
        asked = {"do": "train", "texts": texts, "to": str(to), "vocab_size": vocab_size, "min_count": 2,
                 "is_composed": False, "splits_digits": True,
                 "special_tokens": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]}
        done = subprocess.run([probe], input=json.dumps(asked) + "\n", capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == {"value": True}

    return train
