# SPDX-License-Identifier: Apache-2.0
# No number at all.
# status: error
# says: nothing but NaN and infinity
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.log(-1.0 - x * x)


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
