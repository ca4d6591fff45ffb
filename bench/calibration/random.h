// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers.
#pragma once

#include <cstdint>
#include <random>

namespace stitch::calibration {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  float normal() { return normal_(engine_); }
  float uniform(float low, float high) { return low + (high - low) * unit_(engine_); }
  bool coin(float probability) { return unit_(engine_) < probability; }
  uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<float> normal_;
  std::uniform_real_distribution<float> unit_;
};

}  // namespace stitch::calibration
