# SPDX-License-Identifier: Apache-2.0
# The second of two outputs is the same for every input.
# status: weak
# takes: N01 N03 N07
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.sin(x), torch.relu(-torch.abs(x))


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
