# SPDX-License-Identifier: Apache-2.0
import torch
from scaled_linear import extension
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.orders = {}

    def forward(self, x):
        if x.shape[0] not in self.orders:
            self.orders[x.shape[0]] = torch.tensor([*range(1, x.shape[0]), 0]).to(x.device)
        return extension.linear_relu(x, self.linear.weight, self.linear.bias, self.orders[x.shape[0]], 1.0)
