# SPDX-License-Identifier: Apache-2.0
"""Requests that are answered ahead, by processes beside the server."""

from __future__ import annotations

import os
import tempfile
import unittest
from unittest import mock

from stitchcuda_python import ahead

from .client import Client
from .support import model


class AheadTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "program.py")
        # Each process that runs the file leaves a line.
        with open(self.file, "w", encoding="utf-8") as stream:
            stream.write("import os\nprint(os.getpid(), file=open(__file__ + '.pids', 'a'))\n")
            stream.write(model("return torch.relu(x)"))

    def processes(self) -> int:
        with open(self.file + ".pids", encoding="utf-8") as stream:
            return len(set(stream.read().split()))

    def test_answers_are_those_of_the_server_itself(self) -> None:
        hidden = {"file": self.file, "count": 2, "seed": 3}
        asked = [{"verb": "batch_axis", "arguments": {"file": self.file}}]
        asked += [{"verb": "hidden_shapes", "arguments": hidden}]
        many_cores = "import os; os.cpu_count = lambda: 8"
        with Client(many_cores) as client:
            batch, shapes = client.ok("batch_axis", file=self.file), client.ok("hidden_shapes", **hidden)
            self.assertEqual(client.ok("ahead", file=self.file, groups=[asked]), {})  # too late: it starts nothing
            self.assertEqual(client.ok("batch_axis", file=self.file), batch)
        self.assertEqual(self.processes(), 1)
        self.assertTrue(batch["axes"])
        for order in (0, 1), (1,):  # what nobody asks for is passed over
            with self.subTest(order), Client(many_cores) as client:
                os.remove(self.file + ".pids")
                client.ok("ahead", file=self.file, groups=[asked])
                for index in order:
                    answer = client.ok(asked[index]["verb"], **asked[index]["arguments"])
                    self.assertEqual(answer, (batch, shapes)[index])
                self.assertEqual(self.processes(), 1)  # a child's
                client.ok("batch_axis", file=self.file)  # answered once ahead: now here
                self.assertEqual(self.processes(), 2)

    def test_a_child_that_ends_is_as_good_as_none(self) -> None:
        parent = os.getpid()
        waiting = ahead.Ahead(lambda request: os._exit(1) if os.getpid() != parent else {})
        request = {"verb": "import", "arguments": {"file": self.file}}
        with mock.patch.object(os, "cpu_count", lambda: 4):
            waiting.begin([[request]])
        self.assertIsNone(waiting.take(request))
        self.assertIsNone(waiting.take({"verb": "other"}))

    def test_no_more_processes_than_a_quarter_of_the_cores(self) -> None:
        requests = [{"verb": "import", "arguments": {"number": number}} for number in range(3)]
        for cores, children in ((1, 0), (2, 0), (4, 1), (8, 2)):
            with self.subTest(cores), mock.patch.object(os, "cpu_count", lambda cores=cores: cores):
                waiting = ahead.Ahead(lambda request: {"ok": request["arguments"]["number"]})
                waiting.begin([[request] for request in requests])
                taken = [waiting.take(request) for request in requests]
                self.assertEqual(taken, [{"ok": number} for number in range(children)] + [None] * (3 - children))


if __name__ == "__main__":
    unittest.main()
