# SPDX-License-Identifier: Apache-2.0
"""Completion as a shell does it: the script is sourced by a real bash, which is asked what it would offer."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from .support import PROGRAM, ROOT, run

ASK = """
PATH={folder}:$PATH
source <(stitchcuda completion bash)
{before}
COMP_LINE={line}; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_stitchcuda stitchcuda
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


class Bash(unittest.TestCase):
    def offered(self, *words: str, folder: pathlib.Path = ROOT, before: str = "") -> list[str]:
        """What bash offers for the last of the words. bash breaks words at '=' before we see them."""
        quoted = " ".join(f"'{word}'" for word in ("stitchcuda", *words))
        script = ASK.format(folder=PROGRAM.parent, line=f'"{" ".join(words)}"', words=quoted, before=before)
        done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return sorted(done.stdout.split("\n")[:-1]) if done.stdout != "\n" else []

    def test_verbs(self) -> None:
        help_text = run(PROGRAM, "--help").stdout
        verbs = self.offered("")
        self.assertIn("optimize", verbs)
        for verb in verbs:
            self.assertIn(f"  {verb} ", help_text)
        self.assertEqual(self.offered("opt"), ["optimize"])
        self.assertEqual(self.offered("runs", ""), ["diff", "export", "list", "replay", "resume", "rm", "show"])
        self.assertEqual(self.offered("help", "pro"), ["profile"])

    def test_options_and_their_values(self) -> None:
        self.assertEqual(self.offered("optimize", "--lib"), ["--libraries"])
        self.assertEqual(self.offered("runs", "rm", "--o"), ["--out"])
        self.assertEqual(self.offered("optimize", "--device", ""), ["auto", "emulated", "gpu"])
        self.assertEqual(self.offered("optimize", "model.py", "--device", "=", "em"), ["emulated"])
        self.assertEqual(self.offered("optimize", "model.py", "--device", "="), ["auto", "emulated", "gpu"])
        self.assertEqual(self.offered("optimize", "--target", "sm_80,sm_9"), ["sm_80,sm_90a"])
        self.assertEqual(self.offered("completion", ""), ["bash", "fish", "zsh"])
        self.assertEqual(self.offered("optimize", "--seed", ""), [])

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            for name in ("my model.py", "notes.txt"):
                (folder / name).write_text("")
            (folder / "out").mkdir()
            self.assertEqual(self.offered("optimize", "", folder=folder), ["my model.py", "out"])
            self.assertEqual(self.offered("profile", "", folder=folder), ["my model.py", "out"])
            self.assertEqual(self.offered("report", "", folder=folder), ["out"])
            self.assertEqual(self.offered("plan", "n", folder=folder), ["notes.txt"])

    def test_runs(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            before = f"export STITCHCUDA_STATE={scratch}"
            self.assertEqual(self.offered("runs", "show", "", before=before), [])

    def test_every_option_of_help_is_offered(self) -> None:
        for verb in self.offered(""):
            for option in self.offered(verb, "-"):
                self.assertIn(option, run(PROGRAM, verb, "--help").stdout, verb)


class OtherShells(unittest.TestCase):
    def checked(self, shell: str) -> str:
        text = run(PROGRAM, "completion", shell).stdout
        for word in ("optimize", "device", "emulated", "runs", "sm_90a"):
            self.assertIn(word, text)
        return text

    def ask(self, shell: str, script: str) -> list[str]:
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        environment = dict(os.environ, PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
        done = subprocess.run([shell, "-c", script], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def test_fish(self) -> None:
        self.checked("fish")
        script = "stitchcuda completion fish | source; complete -C 'stitchcuda {}'"
        offered = [line.split("\t")[0] for line in self.ask("fish", script.format("optimize --device "))]
        self.assertEqual(sorted(offered), ["auto", "emulated", "gpu"])
        offered = [line.split("\t")[0] for line in self.ask("fish", script.format("runs "))]
        self.assertEqual(sorted(offered), ["diff", "export", "list", "replay", "resume", "rm", "show"])

    def test_zsh(self) -> None:
        text = self.checked("zsh")
        with tempfile.NamedTemporaryFile("w", suffix=".zsh") as script:
            script.write(text)
            script.flush()
            self.assertEqual(self.ask("zsh", f"zsh -n {script.name} && echo fine"), ["fine"])
