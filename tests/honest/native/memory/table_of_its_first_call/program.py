# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * (1 - 2 * (torch.arange(256) % 2))


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return []
