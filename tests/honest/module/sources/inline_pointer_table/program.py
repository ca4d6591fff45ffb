# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x, y, z):
        return [torch.tanh(x), torch.tanh(y), torch.tanh(z)]


def get_inputs():
    return [torch.randn(40), torch.randn(3, 5), torch.randn(2, 2, 2)]


def get_init_inputs():
    return []
