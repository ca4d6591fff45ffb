# SPDX-License-Identifier: Apache-2.0
import os

import torch
from torch import nn
from torch.utils.cpp_extension import load

load(
    name="our_kernels",
    sources=[os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.cu")],
    extra_cuda_cflags=["-O3"],
    is_python_module=False,
)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return torch.ops.our_kernels.linear_relu(x.contiguous(), self.linear.weight.detach(), self.linear.bias.detach())
