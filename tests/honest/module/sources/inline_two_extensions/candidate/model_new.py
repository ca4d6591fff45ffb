# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

KERNEL = r"""
__global__ void NAME_kernel(const float* a, const float* b, float* out, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) out[i] = EXPRESSION;
}
void NAME(torch::Tensor a, torch::Tensor b, torch::Tensor out) {
  NAME_kernel<<<2, 64>>>(a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), a.numel());
}
"""


def built(name, expression):
    return load_inline(
        name=name,
        cpp_sources=[f"void {name}(torch::Tensor a, torch::Tensor b, torch::Tensor out);"],
        cuda_sources=[KERNEL.replace("NAME", name).replace("EXPRESSION", expression)],
        functions={name: "elementwise"},
    )


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.made = None

    def forward(self, a, b):
        if self.made is None:
            self.made = [built("twice", "2 * a[i]"), built("add", "a[i] + b[i]")]
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        doubled = torch.empty(b.shape, device=device)
        self.made[0].twice(b, b, doubled)
        out = torch.empty_like(a)
        self.made[1].add(a, doubled, out)
        return out
