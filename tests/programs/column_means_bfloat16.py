# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.randn(40).bfloat16())

    def forward(self, x):
        return (x * self.scale).mean(0)


def get_inputs():
    return [torch.randn(256, 40).bfloat16()]


def get_init_inputs():
    return []
