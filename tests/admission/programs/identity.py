# SPDX-License-Identifier: Apache-2.0
# Nothing happens, whatever the input is.
# status: degenerate
# takes: N05
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x * 1.0


def get_inputs():
    return [torch.rand(96, 40)]


def get_init_inputs():
    return []
