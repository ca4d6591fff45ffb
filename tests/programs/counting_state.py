# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(64, 8))

    def forward(self, x):
        self.count.add_(x)
        return self.count * 2


def get_inputs():
    return [torch.randn(64, 8)]


def get_init_inputs():
    return []
