// SPDX-License-Identifier: Apache-2.0
#include "calibration/regimes.h"

#include <cmath>

namespace stitch::calibration {
namespace {

// The numbers of the oracle's constants.
constexpr float kRowNoise = 1e-2F;
constexpr float kOffsetLow = 4;
constexpr float kOffsetHigh = 8;
constexpr float kKeptShare = 0.1F;
constexpr float kExtremeShare = 0.1F;
constexpr float kExtremeFactor = 30;
constexpr float kHalf = 0.5F;

void signed_scaled(Tensor& tensor, Random& random) {
  const float scale = std::exp2(random.uniform(-2, 2));
  for (float& value : tensor.data) {
    value *= random.coin(kHalf) ? scale : -scale;
  }
}

float spread_of(const Tensor& tensor) {
  double sum = 0;
  double squares = 0;
  for (const float value : tensor.data) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto count = static_cast<double>(tensor.data.size());
  return static_cast<float>(std::sqrt(std::fmax(squares / count - sum / count * sum / count, 0)));
}

void near_equal(Tensor& tensor, int draw, Random& random) {
  const float spread = spread_of(tensor);
  if (draw % 2 == 0) {
    const auto length = static_cast<size_t>(tensor.shape.back());
    for (size_t i = 0; i < tensor.data.size(); ++i) {
      const float first = tensor.data[i % length];
      tensor.data[i] = i < length ? first : first + kRowNoise * spread * random.normal();
    }
    return;
  }
  const float offset = random.uniform(kOffsetLow, kOffsetHigh) * spread * (random.coin(kHalf) ? 1.0F : -1.0F);
  for (float& value : tensor.data) {
    value += offset;
  }
}

void sparse_extreme(Tensor& tensor, Random& random) {
  for (float& value : tensor.data) {
    value = !random.coin(kKeptShare) ? 0 : random.coin(kExtremeShare) ? value * kExtremeFactor : value;
  }
}

}  // namespace

const std::vector<std::string>& regimes() {
  static const std::vector<std::string> names{"as_given", "signed_scaled", "near_equal", "sparse_extreme"};
  return names;
}

void apply_regime(const std::string& regime, int draw, size_t inputs, Sample& sample, Random& random) {
  for (size_t i = 0; i < inputs; ++i) {
    if (regime == "signed_scaled") {
      signed_scaled(sample.tensors[i], random);
    } else if (regime == "near_equal") {
      near_equal(sample.tensors[i], draw, random);
    } else if (regime == "sparse_extreme") {
      sparse_extreme(sample.tensors[i], random);
    }
  }
}

Sample perturbed(const Sample& sample, Random& random) {
  Sample moved = sample;
  uint64_t bits = 0;
  size_t left = 0;
  for (Tensor& tensor : moved.tensors) {
    for (float& value : tensor.data) {
      constexpr size_t kBitsAtOnce = 64;
      if (left == 0) {
        bits = random.bits();
        left = kBitsAtOnce;
      }
      if (value != 0 && std::isfinite(value)) {
        value = std::nextafterf(value, (bits & 1U) != 0 ? HUGE_VALF : -HUGE_VALF);
      }
      bits >>= 1U;
      --left;
    }
  }
  return moved;
}

}  // namespace stitch::calibration
