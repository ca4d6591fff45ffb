# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the package of this source tree on the programs of the build tree."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("STITCHCUDA_BUILD", "build")
os.environ.setdefault("STITCHCUDA", str(BUILD / "stitchcuda"))
sys.path += [str(ROOT / "python"), str(pathlib.Path(__file__).parent / "programs")]
