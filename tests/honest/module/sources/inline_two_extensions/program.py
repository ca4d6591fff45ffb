# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return a + 2 * b


def get_inputs():
    return [torch.randn(5, 77), torch.randn(5, 77)]


def get_init_inputs():
    return []
