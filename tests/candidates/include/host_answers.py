# SPDX-License-Identifier: Apache-2.0
"""relu(x · weightᵀ + bias) by a kernel and by the host, in C++ that comes as text, for candidates of which the
host computes the answer beside kernels that do something else."""
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <vector>

__global__ void linear_relu_kernel(const float* x, const float* w, const float* b, float* y, int n, int k, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float sum = b[i % n];
    for (int at = 0; at < k; ++at) sum += x[i / n * k + at] * w[i % n * k + at];
    y[i] = fmaxf(sum, 0.0f);
  }
}
__global__ void copy_kernel(const float* from, float* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}
static int blocks(int64_t count) { return (count + 127) / 128; }

torch::Tensor honest(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  auto y = torch::empty({x.size(0), w.size(0)}, x.options());
  linear_relu_kernel<<<blocks(y.numel()), 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(),
                                                 y.data_ptr<float>(), w.size(0), x.size(1), y.numel());
  return y;
}
static torch::Tensor copied(torch::Tensor x) {
  auto y = torch::empty_like(x);
  copy_kernel<<<blocks(x.numel()), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
static void on_host(const float* x, const float* w, const float* b, float* y, int m, int n, int k) {
  for (int i = 0; i < m * n; ++i) {
    y[i] = b[i % n];
    for (int at = 0; at < k; ++at) y[i] += x[i / n * k + at] * w[i % n * k + at];
    y[i] = y[i] > 0 ? y[i] : 0;
  }
}
torch::Tensor of_clones(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  auto xs = x.clone(), ws = w.clone(), bs = b.clone();
  auto y = torch::empty({x.size(0), w.size(0)}, x.options());
  on_host(xs.data_ptr<float>(), ws.data_ptr<float>(), bs.data_ptr<float>(), y.data_ptr<float>(), x.size(0), w.size(0),
          x.size(1));
  return copied(y);
}
"""


def load(*names, own_source=""):
    """Functions of SOURCE and of `own_source`, which stands behind it, each of x, weight and bias."""
    declared = [f"torch::Tensor {name}(torch::Tensor x, torch::Tensor w, torch::Tensor b);" for name in names]
    return load_inline(name="answers", cpp_sources=declared, cuda_sources=[SOURCE, own_source], functions=list(names))


class Linear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.calls = 0

    def arguments(self, x):
        return x, self.linear.weight, self.linear.bias
