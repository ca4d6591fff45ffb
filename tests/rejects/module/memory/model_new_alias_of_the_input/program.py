# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.reshape(20, 6)


def get_inputs():
    return [torch.randn(6, 20)]
