# SPDX-License-Identifier: Apache-2.0
"""relu(x · weightᵀ + bias) by Python on the host, as text, for candidates that make code of it where no source is."""
TEXT = """
import torch

def computed(x, weight, bias):
    rows, depth = x.shape
    y = torch.empty(rows, weight.shape[0])
    import ctypes
    def floats(t): return (ctypes.c_float * t.numel()).from_address(t.data_ptr())
    a, w, b, out = floats(x), floats(weight), floats(bias), floats(y)
    columns = weight.shape[0]
    for i in range(rows):
        for j in range(columns):
            s = b[j]
            for k in range(depth):
                s += a[i * depth + k] * w[j * depth + k]
            out[i * columns + j] = s if s > 0 else 0.0
    return y

"""
