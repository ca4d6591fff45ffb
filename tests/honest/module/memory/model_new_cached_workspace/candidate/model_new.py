# SPDX-License-Identifier: Apache-2.0
import ctypes
import os

import torch
from torch import nn

own = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "candidate.so"))


def at(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def linear_relu(x, weight, bias, products, y):
    rows, inner = x.shape
    outer = weight.shape[0]
    own.linear(at(x), at(weight), at(bias), at(products), *map(ctypes.c_int64, (rows, inner, outer)))
    own.relu(at(products), at(y), ctypes.c_int64(rows * outer))
    return y


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.products = None

    def forward(self, x):
        if self.products is None or self.products.shape[0] != x.shape[0]:
            self.products = x.new_empty(x.shape[0], self.linear.out_features)
        y = torch.empty_like(self.products)
        return linear_relu(x.contiguous(), self.linear.weight, self.linear.bias, self.products, y)
