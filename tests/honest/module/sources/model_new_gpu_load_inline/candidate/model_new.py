# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

__global__ void linear_relu_kernel(const float* x, const float* weight, const float* bias, float* y, int64_t rows,
                                   int64_t inner, int64_t outer) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows * outer) {
    return;
  }
  const float* row = x + i / outer * inner;
  const float* column = weight + i % outer * inner;
  float sum = bias[i % outer];
  for (int64_t k = 0; k < inner; ++k) {
    sum += row[k] * column[k];
  }
  y[i] = sum < 0.0f ? 0.0f : sum;
}

torch::Tensor linear_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  torch::Tensor y = torch::empty({x.size(0), weight.size(0)}, x.options());
  constexpr int kThreads = 128;
  const int blocks = static_cast<int>((y.numel() + kThreads - 1) / kThreads);
  linear_relu_kernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1),
      weight.size(0));
  return y;
}
"""

own = load_inline(
    name="linear_relu",
    cpp_sources="torch::Tensor linear_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);",
    cuda_sources=SOURCE,
    functions=["linear_relu"],
)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return own.linear_relu(x, self.linear.weight, self.linear.bias)
