# SPDX-License-Identifier: Apache-2.0
# What the input adds is lost beside the one.
# status: degenerate
# takes: N02 N03 N07
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return 1.0 + 1e-12 * torch.sin(x)


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
