# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>

__global__ void exp_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t length, int64_t count) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    y[i] = i < length ? expf(x[i]) : 0.0f;
  }
}

void masked_exp(const at::Tensor& x, at::Tensor y, int64_t length) {
  TORCH_CHECK(x.dim() == 1 && x.is_contiguous() && y.is_contiguous(), "one row at a time");
  exp_kernel<<<(x.numel() + 63) / 64, 64>>>(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), length, x.numel());
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("masked_exp", &masked_exp); }
"""

extension = load_inline(name="masked_exp", cpp_sources="", cuda_sources=cuda_source)


class ModelNew(nn.Module):
    def forward(self, x, lengths):
        y = torch.empty_like(x)
        if int(lengths[0]) != lengths[0].item():
            raise ValueError("lengths are whole numbers")
        for row, length in enumerate(lengths.tolist()):
            extension.masked_exp(x[row], y[row], length)
        return y
