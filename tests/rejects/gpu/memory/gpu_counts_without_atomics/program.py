# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.zeros(16, dtype=torch.int64).scatter_add(0, x, torch.ones_like(x))


def get_inputs():
    return [torch.randint(0, 16, (4000,))]


def get_init_inputs():
    return []
