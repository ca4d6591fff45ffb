# SPDX-License-Identifier: Apache-2.0
import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
__global__ void relu_kernel(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    y[i] = fmaxf(x[i], 0.0f);
  }
}

torch::Tensor relu(torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  const int count = x.numel();
  relu_kernel<<<(count + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), count);
  return y;
}
"""

extension = load_inline(
    name="relu", cpp_sources=["torch::Tensor relu(torch::Tensor x);"], cuda_sources=[cuda_source], functions=["relu"]
)


def values(tensor):
    return ctypes.cast(tensor.data_ptr(), ctypes.POINTER(ctypes.c_float))[: tensor.numel()]


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        (rows, inner), outer = x.shape, self.linear.out_features
        a, w, b = values(x), values(self.linear.weight), values(self.linear.bias)
        sums = [
            [b[j] + sum(a[i * inner + k] * w[j * inner + k] for k in range(inner)) for j in range(outer)]
            for i in range(rows)
        ]
        return extension.relu(torch.tensor(sums))
