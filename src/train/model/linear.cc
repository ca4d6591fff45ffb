// SPDX-License-Identifier: Apache-2.0
#include "train/model/linear.h"

namespace stitch::train {

Tensor Linear::operator()(const Tensor& input, bool adapter) const {
  const auto type = input.scalar_type();
  const Tensor base =
      bias.defined() ? at::linear(input, weight.to(type), bias.to(type)) : at::linear(input, weight.to(type));
  if (!adapter || !has_adapter()) {
    return base;
  }
  return base + scale * at::linear(at::linear(input, lora_a.to(type)), lora_b.to(type));
}

void Linear::merge() {
  if (!has_adapter()) {
    return;
  }
  const at::NoGradGuard no_gradients;
  const Tensor product = at::matmul(lora_b, lora_a) * scale;
  weight.copy_(weight.to(product.scalar_type()) + product);
  lora_a.reset();
  lora_b.reset();
}

void Linear::append_trainable(std::vector<Tensor>& all) const {
  for (const Tensor* tensor : {&weight, &bias, &lora_a, &lora_b}) {
    if (tensor->defined() && tensor->requires_grad()) {
      all.push_back(*tensor);
    }
  }
}

}  // namespace stitch::train
