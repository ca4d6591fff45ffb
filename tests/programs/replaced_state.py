# SPDX-License-Identifier: Apache-2.0
"""A state that each call replaces and none reads."""
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(40))

    def forward(self, x):
        self.last = x.mean(0)
        return torch.relu(x)


def get_inputs():
    return [torch.randn(64, 40)]


def get_init_inputs():
    return []
