# SPDX-License-Identifier: Apache-2.0
# The bounds are never reached, in no regime.
# status: degenerate
# takes: N05
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.clamp(x, -1e30, 1e30)


def get_inputs():
    return [torch.rand(96, 40)]


def get_init_inputs():
    return []
