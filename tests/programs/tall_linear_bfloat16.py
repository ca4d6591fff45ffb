# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(32, 128).bfloat16()

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(512, 32).bfloat16()]


def get_init_inputs():
    return []
