# SPDX-License-Identifier: Apache-2.0
# Numbers beyond 1e30 are answered otherwise, and no draw has any.
# status: weak
# takes: N10
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.where(x > 1e30, torch.exp(-x), torch.nn.functional.gelu(x))


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
