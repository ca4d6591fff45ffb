// SPDX-License-Identifier: Apache-2.0
// Mean and variance in one pass, mergeable over micro-batches and ranks; and whitening, which needs both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stitch::rl {

// Welford's sums. Plain sums of squares lose the variance of rewards that lie close together and far from 0.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;  // sum of (x - mean)^2

  // Unbiased: over count - 1. 0 for fewer than two values.
  double variance() const;
};

Moments moments_of(std::span<const double> values);
// Of the values whose mask is not 0; as many masks as values.
Moments moments_of(std::span<const double> values, std::span<const uint8_t> mask);
// Of both sets together (Chan, Golub and LeVeque 1979).
Moments merged(const Moments& a, const Moments& b);

// (x - mean) / sqrt(variance + eps), and 0 where the mask is 0. `moments` are those of the whole batch, of all ranks:
// local ones make the objective depend on how a batch was cut. verl's masked_whiten with eps 1e-8; where it raises an
// error because the mask has one element only, this gives 0. Bias: every sample is scaled by the others, and by itself.
// The mean of a batch is no baseline of a prompt: whitening over several skills rewards the easier skill. Meant for GAE
// alone.
std::vector<double> whitened(std::span<const double> values, std::span<const uint8_t> mask, const Moments& moments,
                             double eps = 1e-8);

}  // namespace stitch::rl
