# SPDX-License-Identifier: Apache-2.0
import ctypes
import os

import torch
from torch import nn

library = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        rows, inner = x.shape
        outer = self.linear.out_features
        y = torch.empty(rows, outer)
        one, zero = ctypes.c_float(1.0), ctypes.c_float(0.0)
        pointers = [ctypes.c_void_p(t.data_ptr()) for t in (x, self.linear.weight, y)]
        row_major, plain, transposed = 101, 111, 112
        library.cblas_sgemm(row_major, plain, transposed, rows, outer, inner, one, pointers[0], inner, pointers[1],
                            inner, zero, pointers[2], outer)  # fmt: skip
        made = (ctypes.c_float * (rows * outer)).from_address(y.data_ptr())
        bias = (ctypes.c_float * outer).from_address(self.linear.bias.data_ptr())
        for i in range(rows * outer):
            made[i] = max(0.0, made[i] + bias[i % outer])
        return y
