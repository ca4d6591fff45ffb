# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        w, b = self.linear.weight.tolist(), self.linear.bias.tolist()
        rows = [[max(0.0, sum(p * q for p, q in zip(row, line)) + c) for line, c in zip(w, b)] for row in x.tolist()]
        return torch.tensor(rows)
