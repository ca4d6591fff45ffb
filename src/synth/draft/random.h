// SPDX-License-Identifier: Apache-2.0
// Numbers of one draft, all from its own seed: SplitMix64 (Steele, Lea and Flood, 2014), the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stitch::synth {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // 0 to count - 1; `count` is small beside 2^64, so that the remainder favours nobody that one could see.
  size_t below(size_t count) { return static_cast<size_t>(next() % count); }
  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  uint64_t state_;
};

}  // namespace stitch::synth
