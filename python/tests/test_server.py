# SPDX-License-Identifier: Apache-2.0
"""The server as a process: the channel stays clean whatever a program prints or does."""

from __future__ import annotations

import os
import tempfile
import unittest

from .client import Client
from .support import model


class ServerTest(unittest.TestCase):
    def test_printing_exiting_and_prompting_do_not_disturb_the_channel(self) -> None:
        noisy = "import os\nprint('to stdout')\nos.system('echo from a child')\nos.write(2, b'to stderr')\n"
        prompt = "input('name? ')\n"
        with tempfile.TemporaryDirectory() as folder, Client() as client:
            for name, text in (("noisy", noisy + model("print('in forward'); return x * 2")), ("prompt", prompt)):
                with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as stream:
                    stream.write(text)
            self.assertEqual(len(client.ok("import", file=os.path.join(folder, "noisy.py"))["nodes"]), 1)
            error = client.request("import", file=os.path.join(folder, "prompt.py"))["error"]
            self.assertIn("EOFError while being imported", error["sentence"])
            self.assertIn("name?", error["trace"])
        self.assertEqual(client.printed, b"")

    def test_a_malformed_line_is_answered(self) -> None:
        with Client() as client:
            client._file.write(b"no json\n")
            client._file.flush()
            self.assertIn(b"internal", client._file.readline())


if __name__ == "__main__":
    unittest.main()
