# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.transpose(0, 1)


def get_inputs():
    return [torch.randn(6, 20)]
