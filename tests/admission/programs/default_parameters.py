# SPDX-License-Identifier: Apache-2.0
# A new module's gamma and beta could be left out; a verdict's could not.
# status: admitted
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(40)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
