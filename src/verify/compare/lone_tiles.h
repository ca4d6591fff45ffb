// SPDX-License-Identifier: Apache-2.0
// Tiles whose error is that of few random numbers: how many of them an honest program may take beyond kErrorMultiple,
// and how far, follows from how many tiles there are.
#pragma once

#include <cstdint>
#include <vector>

#include "verify/compare/refusal.h"
#include "verify/compare/shared_errors.h"

namespace stitch::verify {

// The chance that a normal number of the widest spread lies beyond `ratio` times the largest of kErrorRuns of these
// spreads in each of `draws` draws; at least that where the errors of a tile are those of more numbers.
double chance_beyond(double ratio, const RunSpreads& spreads = kEqualSpreads, int draws = 1);

// What the `rank`-th smallest (from 1) of such chances of `tiles` tiles may be. An honest program comes below any of
// these with a chance of kRefusalChance at most.
double least_chance(int64_t rank, int64_t tiles);

// The tiles of one output in one draw that err beyond kErrorMultiple though their error is that of few numbers.
class LoneTiles {
 public:
  // `tiles`: of the whole output.
  explicit LoneTiles(int64_t tiles) : tiles_(tiles) {}

  // Whether such an error may be chance in any tile at all.
  bool may_be_chance(double ratio) const;
  // Adds a tile that has its error with a chance of `chance` at most.
  void exceed(const Refusal& worst, double chance) { exceeding_.push_back({worst, chance}); }
  void merge(const LoneTiles& later);

  // The tiles whose errors chance does not explain. Once one is refused, every tile of as small a chance is.
  std::vector<Refusal> refused() const;
  int64_t exceeding() const { return static_cast<int64_t>(exceeding_.size()); }
  double largest() const;

 private:
  struct Exceeding {
    Refusal worst;
    double chance;
  };
  int64_t tiles_;
  std::vector<Exceeding> exceeding_;
};

}  // namespace stitch::verify
