# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the built program, and texts that are compared with files of expected/.

With STITCH_UPDATE_CASES set the files are written from what came out; read the diff.
"""

import os
import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("STITCHCUDA_BUILD", "build")
PROGRAM = BUILD / "stitchcuda"
EXPECTED = pathlib.Path(__file__).parent / "expected"


def run(program: pathlib.Path, *arguments: str, environment: dict | None = None) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(program), *arguments],
        env=os.environ if environment is None else environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


def executable(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def install(folder: pathlib.Path) -> pathlib.Path:
    """An installation that finds nothing of this source tree: bin/ with the real program, share/ with our own files."""
    program = folder / "bin" / "stitchcuda"
    program.parent.mkdir(parents=True)
    shutil.copy2(PROGRAM, program)
    share = folder / "share" / "stitchcuda"
    share.mkdir(parents=True)
    for name in ("python", "runtime", "emulator"):
        (share / name).symlink_to(ROOT / name)
    return program


class TextCase(unittest.TestCase):
    maxDiff = None

    def assert_text(self, name: str, text: str) -> None:
        path = EXPECTED / name
        if os.environ.get("STITCH_UPDATE_CASES"):
            path.write_text(text)
        self.assertEqual(path.read_text() if path.exists() else "", text, f"expected/{name}")
