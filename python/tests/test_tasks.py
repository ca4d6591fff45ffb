# SPDX-License-Identifier: Apache-2.0
"""By which filter a task falls, and what its signature sees."""

from __future__ import annotations

import unittest

from stitchcuda_python.verbs.task_verbs import look_at_task, try_program

TASK = """
import torch
import torch.nn as nn
rows = 4
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
    def forward(self, x):
        {}
def get_inputs():
    return [torch.randn(rows, 8)]
"""


def fallen(body: str) -> str:
    return try_program({"source": TASK.format(body), "name": "task.py", "backends": ["aot_eager"]}, print)["failed"]


def signature(body: str) -> str:
    return look_at_task({"source": TASK.format(body), "name": "task.py", "overrides": {"rows": 64}}, print)["signature"]


class TasksTest(unittest.TestCase):
    def test_each_falls_by_its_own_filter(self) -> None:
        self.assertEqual(fallen("return self.layer(x)"), "")
        self.assertEqual(fallen("return self.layer(x) @ x"), "eager")
        self.assertEqual(fallen("return torch.zeros_like(x)"), "answers")
        self.assertEqual(fallen("return x / 0"), "answers")
        self.assertEqual(fallen("return x.mul_(2)"), "answers")
        self.assertEqual(fallen("return torch.dropout(x, 0.5, True)"), "deterministic")

    def test_a_signature_sees_operators_alone(self) -> None:
        plain = signature("return torch.relu(self.layer(x)) + x")
        written = "y = x @ self.layer.weight.t()\n        return x + (self.layer.bias + y).relu()"
        self.assertEqual(plain, signature(written))
        self.assertNotEqual(plain, signature("return torch.tanh(self.layer(x)) + x"))
        self.assertNotEqual(plain, signature("return torch.relu(self.layer(x))"))


if __name__ == "__main__":
    unittest.main()
