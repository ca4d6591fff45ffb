# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(192, 128).half()

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(96, 192).half()]


def get_init_inputs():
    return []
