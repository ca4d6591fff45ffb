# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
__global__ void many(const int64_t* table, int count) {
  const int which = blockIdx.y;
  const float* x = reinterpret_cast<const float*>(table[which]);
  float* y = reinterpret_cast<float*>(table[count + which]);
  const int64_t n = table[2 * count + which];
  for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = tanhf(x[i]);
}
std::vector<at::Tensor> foreach_tanh(std::vector<at::Tensor> xs) {
  const int count = xs.size();
  std::vector<at::Tensor> ys;
  auto table = torch::empty({3, count}, torch::dtype(torch::kInt64).device(torch::kCPU));
  auto t = table.accessor<int64_t, 2>();
  for (int i = 0; i < count; ++i) {
    ys.push_back(torch::empty_like(xs[i]));
    t[0][i] = reinterpret_cast<int64_t>(xs[i].data_ptr<float>());
    t[1][i] = reinterpret_cast<int64_t>(ys[i].data_ptr<float>());
    t[2][i] = xs[i].numel();
  }
  auto on_device = table.to(torch::kCUDA);
  many<<<dim3(4, count), 32>>>(on_device.data_ptr<int64_t>(), count);
  return ys;
}
"""

extension = load_inline(
    "foreach_tanh",
    "std::vector<at::Tensor> foreach_tanh(std::vector<at::Tensor> xs);",
    cuda_source,
    functions=["foreach_tanh"],
)


class ModelNew(nn.Module):
    def forward(self, *tensors):
        return extension.foreach_tanh(list(tensors))
