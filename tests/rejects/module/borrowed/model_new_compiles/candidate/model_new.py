# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.compiled = torch.compile(lambda x, w, b: torch.relu(x @ w.T + b))

    def forward(self, x):
        return self.compiled(x, self.linear.weight, self.linear.bias)
