# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return x / y, torch.log(torch.abs(x))


def get_inputs():
    return [torch.randn(64, 40), torch.randn(64, 40)]


def get_init_inputs():
    return []
