# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return x + 0.1 * y


def get_inputs():
    return [torch.randn(64, 300), torch.randn(64, 300)]


def get_init_inputs():
    return []
