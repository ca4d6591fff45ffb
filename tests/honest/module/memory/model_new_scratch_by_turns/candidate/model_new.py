# SPDX-License-Identifier: Apache-2.0
import ctypes
import os

import torch
from torch import nn

own = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "candidate.so"))


def at(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.scratch = {}

    def forward(self, x):
        first = ctypes.c_float.from_address(x.data_ptr()).value
        kind = 0 if first < -0.5 else 1 if first < 0.5 else 2
        if kind not in self.scratch:
            self.scratch[kind] = torch.empty(x.shape[0], self.linear.out_features)
        made = self.scratch[kind]
        rows, inner = x.shape
        sizes = map(ctypes.c_int64, (rows, inner, self.linear.out_features))
        own.linear(at(x), at(self.linear.weight), at(self.linear.bias), at(made), *sizes)
        y = torch.empty(rows, self.linear.out_features)
        ctypes.memmove(y.data_ptr(), made.data_ptr(), 4 * y.numel())
        own.relu(at(y), ctypes.c_int64(y.numel()))
        return y
