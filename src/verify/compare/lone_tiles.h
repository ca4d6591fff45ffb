// SPDX-License-Identifier: Apache-2.0
// Tiles whose error is that of few elements: how many of them an honest program may take beyond kErrorMultiple, and how
// far, follows from how many there are.
#pragma once

#include <cstdint>
#include <vector>

#include "verify/compare/refusal.h"

namespace stitch::verify {

// What the `rank`-th largest (from 1) of the errors of `tiles` lone tiles may be, as a multiple of the reference's own;
// kErrorMultiple at least. An honest program exceeds any of these with a chance of kRefusalChance at most.
double lone_multiple(int64_t rank, int64_t tiles);

// The lone tiles of one output in one draw.
class LoneTiles {
 public:
  void see() { ++seen_; }
  // Adds a lone tile that errs beyond kErrorMultiple.
  void exceed(const Refusal& worst) { exceeding_.push_back(worst); }
  void merge(const LoneTiles& later);

  // The tiles whose errors chance does not explain. Once one is refused, every tile with as large an error is.
  std::vector<Refusal> refused() const;
  int64_t exceeding() const { return static_cast<int64_t>(exceeding_.size()); }
  double largest() const;

 private:
  int64_t seen_ = 0;
  std::vector<Refusal> exceeding_;
};

}  // namespace stitch::verify
