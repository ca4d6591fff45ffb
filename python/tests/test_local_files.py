# SPDX-License-Identifier: Apache-2.0
"""What belongs to a program."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest

from stitchcuda_python.program.local_files import local_files
from stitchcuda_python.program.source import run_source

FILES = {
    "model.py": "import os\nimport local_one\nfrom local_package.inner import thing\n",
    "local_one.py": "import json\n",
    "local_package/__init__.py": "",
    "local_package/inner/__init__.py": "from .deep import thing\n",
    "local_package/inner/deep.py": "from ..beside import thing\n",
    "local_package/beside.py": "thing = 1\n",
    "other.py": "import local_two\n",
    "local_two.py": "x = 1\n",
    "alone.py": "x = 2\n",
}


class LocalFilesTest(unittest.TestCase):
    def test_imports_are_followed_and_other_programs_left_out(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            before, path = set(sys.modules), list(sys.path)
            try:
                run_source(os.path.join(folder, "other.py"), {})
                run_source(os.path.join(folder, "model.py"), {})
                self.assertEqual(
                    local_files(os.path.join(folder, "model.py")),
                    [
                        "local_one.py",
                        "local_package/__init__.py",
                        "local_package/beside.py",
                        "local_package/inner/__init__.py",
                        "local_package/inner/deep.py",
                        "model.py",
                    ],
                )
                self.assertEqual(local_files(os.path.join(folder, "other.py")), ["local_two.py", "other.py"])
            finally:
                sys.path[:] = path
                for name in set(sys.modules) - before:
                    del sys.modules[name]


if __name__ == "__main__":
    unittest.main()
