# SPDX-License-Identifier: Apache-2.0
"""The manual page and --help: complete, well formed, and the same words."""

import os
import re
import shutil
import subprocess
import unittest

from .support import PROGRAM, run


def verbs() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name in re.findall(r"^  ([a-z]+)  ", run(PROGRAM, "--help").stdout, re.M):
        found.append((name,))
        block = re.search(r"^Verbs\n((?:  .*\n)+)", run(PROGRAM, name, "--help").stdout, re.M)
        found += [(name, below) for below in re.findall(r"^  ([a-z]+)  ", block[1], re.M)] if block else []
    return found


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.page = run(PROGRAM, "man").stdout

    def test_it_has_every_verb_and_option(self) -> None:
        plain = self.page.replace("\\-", "-")
        self.assertGreater(len(verbs()), 12)
        for verb in verbs():
            self.assertTrue(f"\n.SS {' '.join(verb)}\n" in plain, verb)
            for option in re.findall(r"^  (--[a-z-]+)", run(PROGRAM, *verb, "--help").stdout, re.M):
                self.assertTrue(f"\\fB{option}\\fR" in plain, f"{verb} {option}")
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "VERBS", "EXIT STATUS", "ENVIRONMENT", "FILES"):
            self.assertIn(f"\n.SH {section}\n", plain)

    def test_troff_takes_it_without_a_warning(self) -> None:
        for line in self.page.splitlines():
            self.assertFalse(line.startswith("'"), line)
            if line.startswith("."):
                self.assertIn(line.split()[0], (".TH", ".SH", ".SS", ".TP", ".PP", ".RS", ".RE", ".nf", ".fi"))
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        command = ["groff", "-man", "-Tutf8", "-ww", "-z"]
        done = subprocess.run(command, input=self.page, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")


class Help(unittest.TestCase):
    def test_every_verb_has_a_sentence_groups_and_an_example_that_is_taken(self) -> None:
        for verb in verbs():
            text = run(PROGRAM, *verb, "--help").stdout
            self.assertRegex(text.splitlines()[0], r"^[A-Z].*\.$", verb)
            self.assertIn(f"\n  stitchcuda {' '.join(verb)}", text)
            self.assertRegex(text, r"\nExamples\n  # .*\n  stitchcuda ")
            self.assertEqual(text, run(PROGRAM, "help", *verb).stdout)

    def test_no_colour_where_it_is_not_wanted(self) -> None:
        self.assertNotIn("\033", run(PROGRAM, "--help").stdout)
        script = shutil.which("script")
        if script is None or not os.path.ismount("/dev/pts"):
            self.skipTest("script(1) is not installed, or there are no pseudo-terminals")
        command = [script, "-qec", f"{PROGRAM} --help", "/dev/null"]
        base = {"PATH": "/usr/bin:/bin", "TERM": "xterm"}
        for environment, colour in (
            (base, True),
            ({**base, "NO_COLOR": "1"}, False),
            ({**base, "TERM": "dumb"}, False),
        ):
            text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            self.assertEqual("\033[" in text, colour, environment)
