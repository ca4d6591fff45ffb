# SPDX-License-Identifier: Apache-2.0
"""The weights file is safetensors, complete and named by binding."""

from __future__ import annotations

import json
import os
import unittest

from .support import ServerCase, model, problem, problems


class WeightsTest(ServerCase):
    def test_every_value_but_the_inputs_is_there(self) -> None:
        for row in [row for row in problems() if row.file in ("conv_bn_relu_pool.py", "residual_cnn_eval.py")]:
            path = os.path.join(self.folder, row.file + ".safetensors")
            self.ok("weights", file=problem(row), overrides=row.small, path=path)
            with open(path, "rb") as stream:
                length = int.from_bytes(stream.read(8), "little")
                header = json.loads(stream.read(length))
                data = stream.read()
            values = self.ok("import", file=problem(row), overrides=row.small)["values"]
            wanted = {value["binding"]: value["shape"] for value in values if value["role"] != "input"}
            self.assertEqual({name: entry["shape"] for name, entry in header.items()}, wanted)
            self.assertEqual(max(entry["data_offsets"][1] for entry in header.values()), len(data))
            self.assertEqual(length % 8, 0)

    def test_plain_tensors_of_the_module_are_constants(self) -> None:
        path = os.path.join(self.folder, "plain.safetensors")
        file = self.file(
            model("return x * self.mask + torch.tensor([2.0] * 8)", "self.mask = torch.ones(8)"), "plain.py"
        )
        roles = [value["role"] for value in self.ok("import", file=file)["values"]]
        self.assertEqual(sorted(roles), ["constant", "constant", "input"])
        self.assertEqual(self.ok("weights", file=file, path=path)["tensors"], 2)

    def test_a_folder_that_is_not_there_is_the_environment(self) -> None:
        error = self.error("weights", file=problem(problems()[0]), path=os.path.join(self.folder, "none", "w"))
        self.assertEqual(error["code"], "environment")


if __name__ == "__main__":
    unittest.main()
