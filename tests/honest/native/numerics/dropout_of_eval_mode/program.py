# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.2)
        self.eval()

    def forward(self, x):
        return self.drop(x) * 2


def get_inputs():
    return [torch.randn(64, 300)]


def get_init_inputs():
    return []
