# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x, y, flags):
        return torch.where(flags, x, y)


def get_inputs():
    return [torch.randn(64, 40), torch.randn(64, 40), torch.rand(64, 40) < 0.5]


def get_init_inputs():
    return []
