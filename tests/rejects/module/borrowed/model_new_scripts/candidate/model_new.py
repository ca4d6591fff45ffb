# SPDX-License-Identifier: Apache-2.0
import torch as t


@t.jit.script
def finish(y: t.Tensor) -> t.Tensor:
    return t.relu(y)


import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return finish(self.linear(x))
