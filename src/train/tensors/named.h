// SPDX-License-Identifier: Apache-2.0
// Tensors by name, and how they come out of stored ones and go back.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "train/torch/torch.h"
#include "weights/tensor/tensor_view.h"

namespace stitch::train {

// Sorted, so that whatever goes over all parameters does so in one order.
using NamedTensors = std::map<std::string, Tensor>;

// A copy on the CPU. kUnsupportedOperator for what LibTorch has no type for (blocks of GGUF among them).
Result<Tensor> tensor_of(const weights::TensorView& view);
Result<NamedTensors> tensors_of(std::span<const weights::TensorView> views);

// Contiguous copies on the CPU, which the views lie in: they must outlive them. Aborts for an element type that no file
// has.
NamedTensors stored_form(const NamedTensors& tensors);
std::vector<weights::TensorView> views_of(const NamedTensors& stored);

}  // namespace stitch::train
