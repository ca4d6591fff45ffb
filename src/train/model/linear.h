// SPDX-License-Identifier: Apache-2.0
// A linear layer, with a low-rank adapter where one was added (LoRA, arXiv 2106.09685).
#pragma once

#include "train/torch/torch.h"

namespace stitch::train {

struct Linear {
  Tensor weight;     // [out, in]
  Tensor bias;       // [out], or undefined
  Tensor lora_a;     // [rank, in], fp32, or undefined
  Tensor lora_b;     // [out, rank], fp32, as lora_a
  double scale = 0;  // what the adapter's product is multiplied by

  bool has_adapter() const { return lora_a.defined(); }
  // [..., in] to [..., out] in the element type of `input`, which the weight is rounded to. `adapter` false: as if it
  // had none.
  Tensor operator()(const Tensor& input, bool adapter) const;
  // Adds the adapter to the weight and drops it.
  void merge();
  // Weight, bias and adapter, as far as they take part in training.
  void append_trainable(std::vector<Tensor>& all) const;
};

}  // namespace stitch::train
