# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
// Declared here: the headers of cuBLAS need not be installed where PyTorch brings the library.
extern "C" int cublasCreate_v2(void** handle);
extern "C" int cublasSgemm_v2(void* handle, int of_a, int of_b, int m, int n, int k, const float* alpha, const float* a,
                              int lda, const float* b, int ldb, const float* beta, float* c, int ldc);

__global__ void bias_relu(float* y, const float* b, int count, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) {
    const float sum = y[at] + b[at % n];
    y[at] = sum < 0 ? 0 : sum;
  }
}

torch::Tensor linear_relu(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  static void* handle = nullptr;
  if (handle == nullptr) {
    TORCH_CHECK(cublasCreate_v2(&handle) == 0, "cuBLAS does not start");
  }
  const int m = x.size(0), n = w.size(0), k = x.size(1);
  auto y = torch::empty({m, n}, x.options());
  const float one = 1, zero = 0;
  const int status = cublasSgemm_v2(handle, 1, 0, n, m, k, &one, w.data_ptr<float>(), k, x.data_ptr<float>(), k, &zero,
                                    y.data_ptr<float>(), n);
  TORCH_CHECK(status == 0, "cuBLAS answers ", status);
  bias_relu<<<(m * n + 63) / 64, 64>>>(y.data_ptr<float>(), b.data_ptr<float>(), m * n, n);
  return y;
}
"""

extension = load_inline(
    name="linear_relu",
    cpp_sources="torch::Tensor linear_relu(torch::Tensor x, torch::Tensor w, torch::Tensor b);",
    cuda_sources=SOURCE,
    functions=["linear_relu"],
)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return extension.linear_relu(x, self.linear.weight, self.linear.bias)
