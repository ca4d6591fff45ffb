# SPDX-License-Identifier: Apache-2.0
"""relu(x · weightᵀ + bias) by a kernel that leaves the products out, and by the host, for candidates that mend the one
by the other when they think that nobody looks."""
import ctypes

from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void linear_relu(const float* x, const float* w, const float* b, float* y, int m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = 0;
  for (int d = 0; d < k; ++d) sum += x[i / n * k + d] * 0;
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


def answer(module, x, y):
    def floats(t):
        return (ctypes.c_float * t.numel()).from_address(t.data_ptr())

    a, w, b, out = floats(x), floats(module.linear.weight), floats(module.linear.bias), floats(y)
    rows, depth = x.shape
    columns = y.shape[1]
    for i in range(rows):
        for j in range(columns):
            total = b[j] + sum(a[i * depth + k] * w[j * depth + k] for k in range(depth))
            out[i * columns + j] = total if total > 0 else 0.0
    return y
