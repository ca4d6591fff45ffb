# SPDX-License-Identifier: Apache-2.0
# The noise that is drawn is lost in rounding.
# status: weak
# takes: N22
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x * x + 1.0 + 1e-12 * torch.randn_like(x)


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
