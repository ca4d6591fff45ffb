# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return x * y + x


def get_inputs():
    return [torch.randn(64, 128).half(), torch.randn(64, 128).half()]


def get_init_inputs():
    return []
