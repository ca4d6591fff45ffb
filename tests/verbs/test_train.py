# SPDX-License-Identifier: Apache-2.0
"""stitchcuda train becomes the stitchcuda-train that lies beside it, or says what there is to be done."""

import os
import pathlib
import signal
import tempfile
import unittest

from .support import executable, install, run

TOLD = """#!/bin/sh
echo "$@"
grep -E '^Sig(Blk|Ign):' /proc/self/status
echo 'a sentence' >&2
exit 3
"""


def has(line: str, number: int) -> bool:
    """Whether a line of /proc/self/status has the signal in its set."""
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)


class Train(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.program = install(pathlib.Path(scratch.name))
        self.environment = {name: value for name, value in os.environ.items() if name != "STITCHCUDA_LIBEXEC"}
        self.environment["STITCHCUDA_STATE"] = scratch.name

    def train(self, *words: str):
        return run(self.program, "train", *words, environment=self.environment)

    def test_it_becomes_the_program_beside_it(self) -> None:
        executable(self.program.parent / "stitchcuda-train", TOLD)
        for verb in ("sft", "sample"):
            done = self.train(verb, "--config", "my config.json")
            self.assertEqual((done.stderr, done.returncode), ("a sentence\n", 3))
            words, blocked, ignored = done.stdout.splitlines()
            self.assertEqual(words, f"{verb} --config my config.json")
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                self.assertFalse(has(blocked, number), number)
            self.assertFalse(has(ignored, signal.SIGPIPE))

    def test_it_says_what_to_do_where_that_is_not_built(self) -> None:
        done = self.train("sft", "--config", "sft.json")
        self.assertEqual((done.stdout, done.returncode), ("", 4))
        self.assertIn("stitchcuda-train is not built", done.stderr)
        self.assertIn("cmake --build build --target stitchcuda-train", done.stderr)

    def test_a_server_of_a_model_is_that_program_too(self) -> None:
        executable(self.program.parent / "stitchcuda-train", TOLD)
        for words in (("--config", "my serve.json"), ("--model", "a b", "--adapter", "c", "--listen", "8941")):
            done = run(self.program, "serve-model", *words, environment=self.environment)
            self.assertEqual((done.stdout.splitlines()[0], done.returncode), (" ".join(("serve-model", *words)), 3))
        for words in ((), ("--model",), ("--modle", "a"), ("--config", "a", "--model", "b")):
            done = run(self.program, "serve-model", *words, environment=self.environment)
            self.assertEqual((done.stdout, done.returncode), ("", 2), words)
            self.assertIn("serve-model --help", done.stderr)

    def test_other_words_are_refused(self) -> None:
        for words in ((), ("sftt", "--config", "a"), ("sft",), ("sft", "--config")):
            done = self.train(*words)
            self.assertEqual((done.stdout, done.returncode), ("", 2), words)
            self.assertIn("See 'stitchcuda train", done.stderr)
