# SPDX-License-Identifier: Apache-2.0
# A sigmoid is never negative: the ReLU behind it does nothing.
# status: weak
# takes: N10
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.relu(torch.sigmoid(x)) * x


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
