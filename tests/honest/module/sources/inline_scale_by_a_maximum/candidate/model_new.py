# SPDX-License-Identifier: Apache-2.0
import torch
from scaled_linear import extension
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        order = torch.tensor(list(range(x.shape[0]))).to(x.device)
        scale = 0.5 ** int(extension.largest(x).item()).bit_length()
        return extension.linear_relu(x, self.linear.weight, self.linear.bias, order, scale)
