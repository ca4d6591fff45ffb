# SPDX-License-Identifier: Apache-2.0
# One column less its own mean is zero, whatever the input.
# status: degenerate
# takes: N01 N03 N07
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        row = x.amax(dim=1, keepdim=True)
        return torch.nn.functional.gelu(row - row.mean(dim=1, keepdim=True))


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
