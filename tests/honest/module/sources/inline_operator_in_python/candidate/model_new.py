# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
__global__ void linear_relu_kernel(const float* x, const float* w, const float* b, float* y, int m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) {
    return;
  }
  float sum = b[i % n];
  for (int t = 0; t < k; ++t) {
    sum += x[i / n * k + t] * w[i % n * k + t];
  }
  y[i] = fmaxf(sum, 0.0f);
}

torch::Tensor linear_relu(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  const int m = x.size(0), k = x.size(1), n = w.size(0);
  torch::Tensor y = torch::empty({m, n}, x.options());
  linear_relu_kernel<<<(m * n + 127) / 128, 128>>>(
      x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), m, n, k);
  return y;
}
"""

extension = load_inline(
    name="linear_relu",
    cpp_sources=["torch::Tensor linear_relu(torch::Tensor x, torch::Tensor w, torch::Tensor b);"],
    cuda_sources=[cuda_source],
    functions=["linear_relu"],
)


@torch.library.custom_op("our_layers::linear_relu", mutates_args=(), device_types="cuda")
def linear_relu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return extension.linear_relu(x.contiguous(), w, b)


@linear_relu.register_fake
def _(x, w, b):
    return x.new_empty(x.shape[0], w.shape[0])


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return linear_relu(x, self.linear.weight, self.linear.bias)
