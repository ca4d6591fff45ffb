// SPDX-License-Identifier: Apache-2.0
// For tests and toys: random numbers that are the same with every standard library.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace stitch::rl::testing {

// SplitMix64 (Steele, Lea and Flood 2014).
class Stream {
 public:
  explicit Stream(uint64_t seed) : state_(seed) {}

  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  // Box and Muller 1958.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  // In 0 .. count - 1.
  int below(int count) { return static_cast<int>(uniform() * count); }
  // A position, by probabilities that sum to 1.
  int choice(const std::vector<double>& probabilities) {
    double left = uniform();
    for (size_t i = 0; i + 1 < probabilities.size(); ++i) {
      left -= probabilities[i];
      if (left < 0) {
        return static_cast<int>(i);
      }
    }
    return static_cast<int>(probabilities.size()) - 1;
  }

 private:
  uint64_t state_;
};

}  // namespace stitch::rl::testing
