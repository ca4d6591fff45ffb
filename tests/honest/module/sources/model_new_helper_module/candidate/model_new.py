# SPDX-License-Identifier: Apache-2.0
"""Has its kernels in a module of its own, which is laid beside it."""
from right_linear import extension
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return extension.linear(x, self.linear.weight, self.linear.bias)
