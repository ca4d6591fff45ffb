# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
torch::Tensor linear_relu(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  auto y = torch::empty({x.size(0), w.size(0)}, x.options());
  auto xs = x.accessor<float, 2>(), ws = w.accessor<float, 2>(), ys = y.accessor<float, 2>();
  for (int i = 0; i < x.size(0); ++i) {
    for (int j = 0; j < w.size(0); ++j) {
      float sum = b.data_ptr<float>()[j];
      for (int k = 0; k < x.size(1); ++k) {
        sum += xs[i][k] * ws[j][k];
      }
      ys[i][j] = sum > 0 ? sum : 0;
    }
  }
  return y;
}
"""

cpp_source = "torch::Tensor linear_relu(torch::Tensor x, torch::Tensor w, torch::Tensor b);"

extension = load_inline(
    name="linear_relu", cpp_sources=[cpp_source], cuda_sources=[cuda_source], functions=["linear_relu"]
)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return extension.linear_relu(x, self.linear.weight, self.linear.bias)
