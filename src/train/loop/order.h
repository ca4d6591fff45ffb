// SPDX-License-Identifier: Apache-2.0
// In which order a run goes over what it learns from, by step and seed alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stitch::train {

// Positions below `count`, which is not 0: each epoch takes all of them, in an order that follows from the seed and its
// number.
class ShuffledOrder {
 public:
  ShuffledOrder(size_t count, uint64_t seed) : count_(count), seed_(seed) {}
  std::vector<size_t> of_step(int64_t step, int64_t batch);

 private:
  size_t count_;
  uint64_t seed_;
  int64_t epoch_ = -1;  // that order_ is of
  std::vector<std::pair<uint64_t, size_t>> order_;
};

}  // namespace stitch::train
