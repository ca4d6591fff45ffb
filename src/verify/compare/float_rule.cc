// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/float_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stitch::verify {

void FloatRule::judge_tile(const TileData& tile, const TileBudget& budget) {
  for (size_t i = 0; i < tile.got.size(); ++i) {
    const double got = tile.got[i];
    const double expected = tile.truth.nearest(i, got);
    either_way_ += is_either_way(tile, budget, i) ? 1 : 0;
    double ratio = std::numeric_limits<double>::infinity();
    bool accepted = false;
    if (std::isfinite(expected)) {
      // Positive logic: a NaN or an infinity in `got` fails the comparison.
      const double error = std::fabs(got - expected);
      const double tolerance = budget.tolerance(expected, epsilon_);
      accepted = std::isfinite(got) && error <= tolerance;
      if (std::isfinite(got)) {
        ratio = error == 0 ? 0 : kErrorMultiple * error / tolerance;
      }
    } else {
      accepted = same_pattern(got, expected);
      ratio = accepted ? 0 : ratio;
    }
    if (!accepted && agrees_with_a_run(tile, budget, i)) {
      continue;
    }
    max_ratio_ = std::max(max_ratio_, ratio);
    if (!accepted) {
      refuse(tile, budget, i, ratio);
    }
  }
}

void FloatRule::merge(const FloatRule& later) {
  max_ratio_ = std::max(max_ratio_, later.max_ratio_);
  either_way_ += later.either_way_;
  if (!later.worst_.has_value()) {
    return;
  }
  const int64_t refused = later.worst_->refused + (worst_.has_value() ? worst_->refused : 0);
  worst_ = worst_.has_value() && worst_->ratio >= later.worst_->ratio ? worst_ : later.worst_;
  worst_->refused = refused;
}

// Where a run of the reference is not finite although the truth is (or the other way round), the pattern is a matter of
// rounding, and a candidate may have either. Such elements count towards ill-conditioning, so they cannot be many.
bool FloatRule::agrees_with_a_run(const TileData& tile, const TileBudget& budget, size_t i) const {
  const double got = tile.got[i];
  const auto agrees = [&](std::span<const double> run) {
    if (same_pattern(run[i], tile.truth.reference[i])) {
      return false;
    }
    return std::isfinite(run[i]) ? std::fabs(got - run[i]) <= budget.tolerance(run[i], epsilon_)
                                 : same_pattern(got, run[i]);
  };
  return std::any_of(tile.runs.begin(), tile.runs.end(), agrees);
}

bool FloatRule::is_either_way(const TileData& tile, const TileBudget& budget, size_t i) const {
  const double expected = tile.truth.reference[i];
  const auto& others = tile.truth.otherwise;
  return std::any_of(others.begin(), others.end(), [&](const auto& other) {
    return !same_pattern(other[i], expected) ||
           (std::isfinite(expected) && std::fabs(other[i] - expected) > budget.tolerance(expected, epsilon_));
  });
}

void FloatRule::refuse(const TileData& tile, const TileBudget& budget, size_t i, double ratio) {
  const int64_t refused = worst_ ? worst_->refused + 1 : 1;
  if (!worst_ || ratio > worst_->ratio) {
    worst_ = Refusal{
        tile.begin + static_cast<int64_t>(i), tile.tile, tile.got[i], tile.truth.reference[i], ratio, 0, budget.erring};
  }
  worst_->refused = refused;
}

}  // namespace stitch::verify
