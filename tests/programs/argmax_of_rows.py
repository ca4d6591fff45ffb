# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.argmax(x, -1)


def get_inputs():
    return [torch.randn(300, 1000)]


def get_init_inputs():
    return []
