# SPDX-License-Identifier: Apache-2.0
import ctypes
import os

import torch
from torch import nn

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "candidate.so"), "rb") as stream:
    bytes_of_it = stream.read()
place = os.memfd_create("library")
os.write(place, bytes_of_it)
own = ctypes.CDLL(f"/proc/self/fd/{place}")


def at(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def linear_relu(x, weight, bias, y):
    rows, inner = x.shape
    outer = weight.shape[0]
    own.linear(at(x), at(weight), at(bias), at(y), *map(ctypes.c_int64, (rows, inner, outer)))
    own.relu(at(y), ctypes.c_int64(rows * outer))
    return y


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return linear_relu(x, self.linear.weight, self.linear.bias, torch.empty(x.shape[0], self.linear.out_features))
