// SPDX-License-Identifier: Apache-2.0
#include "train/model/rope.h"

#include <numbers>

namespace stitch::train {
namespace {

// Long wavelengths are divided by the factor, short ones are kept, and between the two it goes over smoothly
// (transformers' modeling_rope_utils.py, "llama3").
Tensor stretched(const Tensor& frequencies, const weights::Rope& rope) {
  const auto positions = static_cast<double>(rope.original_max_positions);
  const Tensor wavelength = 2 * std::numbers::pi / frequencies;
  const Tensor slow = frequencies / rope.factor;
  const Tensor smooth =
      (positions / wavelength - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
  const Tensor between = (1 - smooth) * slow + smooth * frequencies;
  const Tensor is_long = wavelength > positions / rope.low_freq_factor;
  const Tensor is_short = wavelength < positions / rope.high_freq_factor;
  return at::where(is_long, slow, at::where(is_short, frequencies, between));
}

}  // namespace

Tensor rope_frequencies(const weights::ModelConfig& config) {
  const Tensor halves = at::arange(0, config.head_dim, 2, at::kFloat) / static_cast<double>(config.head_dim);
  const Tensor frequencies = 1.0 / at::pow(config.rope.theta, halves);
  switch (config.rope.kind) {
    case weights::RopeKind::kLinear:
      return frequencies / config.rope.factor;
    case weights::RopeKind::kLlama3:
      return stretched(frequencies, config.rope);
    case weights::RopeKind::kDefault:
      break;
  }
  return frequencies;
}

std::pair<Tensor, Tensor> rope_angles(const Tensor& frequencies, const Tensor& positions, at::ScalarType type) {
  const Tensor half = positions.to(at::kFloat).unsqueeze(-1) * frequencies;
  const Tensor angles = at::cat({half, half}, -1).unsqueeze(1);
  return {angles.cos().to(type), angles.sin().to(type)};
}

}  // namespace stitch::train
