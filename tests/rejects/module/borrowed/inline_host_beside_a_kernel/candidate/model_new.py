# SPDX-License-Identifier: Apache-2.0
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

torch::Tensor clamped(torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  const int count = x.numel();
  relu_kernel<<<(count + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), count);
  return y;
}

torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  torch::Tensor y = torch::empty({x.size(0), w.size(0)}, x.options());
  auto xs = x.accessor<float, 2>(), ws = w.accessor<float, 2>(), ys = y.accessor<float, 2>();
  auto bs = b.accessor<float, 1>();
  for (int i = 0; i < x.size(0); ++i) {
    for (int j = 0; j < w.size(0); ++j) {
      ys[i][j] = bs[j];
      for (int k = 0; k < x.size(1); ++k) {
        ys[i][j] += xs[i][k] * ws[j][k];
      }
    }
  }
  return clamped(y);
}
"""

cpp_source = "torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor b);"

extension = load_inline(name="linear", cpp_sources=[cpp_source], cuda_sources=[cuda_source], functions=["linear"])


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return extension.linear(x, self.linear.weight, self.linear.bias)
