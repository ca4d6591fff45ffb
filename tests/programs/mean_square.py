# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return ((x - y) ** 2).mean()


def get_inputs():
    return [torch.randn(48, 100), torch.randn(48, 100)]


def get_init_inputs():
    return []
