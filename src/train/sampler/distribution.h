// SPDX-License-Identifier: Apache-2.0
// From logits to the token that is drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "train/torch/torch.h"

namespace stitch::train {

struct Restriction {
  double temperature = 1;  // 0: the likeliest token, whose log-probability is then that at 1
  int64_t top_k = 0;       // only so many of the likeliest; 0: all
  double top_p = 1;        // the fewest of the likeliest whose probabilities add up to it; 1: all

  bool cuts() const { return top_k > 0 || top_p < 1; }
};

// Logits [batch, vocab] to the log-probabilities that are drawn from, fp32: divided by the temperature, cut, and
// normalised again; -inf for what was cut. Of equally likely tokens the lower id comes first.
Tensor drawn_from(const Tensor& logits, const Restriction& restriction);

// One token a row, int64 [batch], from `uniforms` in [0, 1), fp64 [batch]: the first whose cumulated probability
// exceeds the number. One of probability 0 is never drawn.
Tensor draw(const Tensor& log_probs, const Tensor& uniforms);

// In [0, 1), from a hash: the number of one step of one stream depends on nothing else.
double uniform_of(uint64_t seed, uint64_t stream, uint64_t step);

}  // namespace stitch::train
