// SPDX-License-Identifier: Apache-2.0
// The accept rule for floating-point outputs, tile after tile.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "verify/compare/refusal.h"
#include "verify/compare/tile_budget.h"

namespace stitch::verify {

// One tile's elements, as doubles. The truth is infinite where the output's type cannot hold it.
struct TileData {
  int64_t tile = 0;
  int64_t begin = 0;  // element number of the first
  TileTruth truth;
  std::vector<std::span<const double>> runs;  // the native run first
  std::span<const double> got;
};

class FloatRule {
 public:
  explicit FloatRule(double epsilon) : epsilon_(epsilon) {}

  void judge_tile(const TileData& tile, const TileBudget& budget);
  // Takes in what was judged of later tiles.
  void merge(const FloatRule& later);

  // The worst refused element, if any was refused.
  const std::optional<Refusal>& refusal() const { return worst_; }
  // Elements whose right value depends on decisions that lie within rounding.
  int64_t either_way() const { return either_way_; }
  // The largest error as a multiple of the reference's own; kErrorMultiple is the limit.
  double max_ratio() const { return max_ratio_; }

 private:
  bool agrees_with_a_run(const TileData& tile, const TileBudget& budget, size_t i) const;
  bool is_either_way(const TileData& tile, const TileBudget& budget, size_t i) const;
  void refuse(const TileData& tile, const TileBudget& budget, size_t i, double ratio);

  double epsilon_;
  double max_ratio_ = 0;
  int64_t either_way_ = 0;
  std::optional<Refusal> worst_;
};

}  // namespace stitch::verify
