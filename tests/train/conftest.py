# SPDX-License-Identifier: Apache-2.0
"""What the suites here share: the program that trains."""
from __future__ import annotations

import json
import pathlib
import subprocess
from collections.abc import Callable

import pytest
from tiny_run import MODEL

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


@pytest.fixture(scope="module")
def base(train_tokenizer, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The sizes of a model, a tokenizer over bytes, and prompts of three tasks for both skills."""
    folder = tmp_path_factory.mktemp("rewards")
    (folder / "config.json").write_text(json.dumps(MODEL))
    train_tokenizer(folder / "tokenizer.json", ["ab ab ab user assistant system"], MODEL["vocab_size"])
    lines = [{"task": task, "skill": skill, "messages": [{"role": "user", "content": task + skill[0]}]}
             for task in "xyz" for skill in ("scratch", "refinement")]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [*lines, lines[0]]))
    return folder
