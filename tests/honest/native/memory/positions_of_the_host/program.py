# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 3, torch.arange(300, dtype=torch.float32) / 300


def get_inputs():
    return [torch.randn(64, 300)]


def get_init_inputs():
    return []
