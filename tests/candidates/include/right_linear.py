# SPDX-License-Identifier: Apache-2.0
"""relu(x · weightᵀ + bias) by a kernel that does it right, for candidates whose idea lies elsewhere."""
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void linear_relu(const float* x, const float* w, const float* b, float* y, int m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = b[i % n];
  for (int d = 0; d < k; ++d) sum += x[i / n * k + d] * w[i % n * k + d];
  y[i] = fmaxf(sum, 0.0f);
}
torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  torch::Tensor y = torch::empty({x.size(0), w.size(0)}, x.options());
  linear_relu<<<1, 256>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(),
                          x.size(0), w.size(0), x.size(1));
  return y;
}
"""
extension = load_inline(name="linear", cpp_sources="torch::Tensor linear(torch::Tensor, torch::Tensor, torch::Tensor);",
                        cuda_sources=SOURCE, functions=["linear"])
