# SPDX-License-Identifier: Apache-2.0
import torch as t


class Product(t.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        return t.addmm(bias, x, weight.t()).relu_()


import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return Product.apply(x, self.linear.weight, self.linear.bias)
