// SPDX-License-Identifier: Apache-2.0
// AdamW (arXiv 1711.05101) as torch.optim computes it, on parameters by name, so that its state can be stored and read
// back whatever order they are held in.
#pragma once

#include <cstdint>

#include "base/error/result.h"
#include "train/tensors/named.h"

namespace stitch::train {

struct AdamWSettings {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
};

class AdamW {
 public:
  explicit AdamW(const AdamWSettings& settings) : settings_(settings) {}

  // One step down the gradients that the parameters hold; one without a gradient stays, as do its moments.
  void step(const NamedTensors& parameters, double learning_rate);

  // The moments, fp32: "NAME.exp_avg", "NAME.exp_avg_sq", and "NAME.step", int64 [1].
  NamedTensors state() const;
  // kFileInvalid when the moments do not fit `parameters`.
  Result<void> load_state(const NamedTensors& state, const NamedTensors& parameters);

 private:
  struct Moments {
    Tensor mean, square;
    int64_t steps = 0;
  };
  AdamWSettings settings_;
  std::map<std::string, Moments> moments_;
};

// Drops the gradients.
void clear_gradients(const NamedTensors& parameters);

// The norm of all gradients together, which are scaled down so that it is `most` at the utmost (0: they stay). A norm
// that is not finite leaves them as they are: the caller must not step.
double clip_gradients(const NamedTensors& parameters, double most);

}  // namespace stitch::train
