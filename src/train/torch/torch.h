// SPDX-License-Identifier: Apache-2.0
// What we use of LibTorch, for 2.11 and later. <torch/torch.h> takes the compiler twice as long: it brings data
// loaders, modules and the interpreter. Precompiled for all of src/train.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/generated/variable_factories.h>
#include <torch/csrc/autograd/grad_mode.h>

namespace stitch::train {
using at::Tensor;
}  // namespace stitch::train
