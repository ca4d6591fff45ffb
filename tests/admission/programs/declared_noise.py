# SPDX-License-Identifier: Apache-2.0
# Its random numbers are PyTorch's own: whoever leaves them out is seen.
# status: admitted
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.nn.functional.dropout(x, 0.2, True) * 2.0


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
