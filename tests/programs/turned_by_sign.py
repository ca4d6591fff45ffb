# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.where(torch.signbit(x), -y, y) + torch.where(x != 0, x * 2, y * 3 + 1)


def get_inputs():
    return [torch.randn(64, 40), torch.randn(64, 40)]


def get_init_inputs():
    return []
