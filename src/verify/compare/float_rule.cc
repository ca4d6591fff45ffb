// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/float_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stitch::verify {
namespace {

// The one with the larger ratio, the first of equals; it counts the refused elements of both.
Refusal worse_of(const std::optional<Refusal>& first, const Refusal& second) {
  if (!first) {
    return second;
  }
  Refusal worse = first->ratio >= second.ratio ? *first : second;
  worse.refused = first->refused + second.refused;
  return worse;
}

}  // namespace

void FloatRule::judge_tile(const TileData& tile, const TileBudget& budget, const AroundTile& around) {
  Found found = judge_elements(tile, budget);
  const bool is_settled = around.whether && found.worst && !std::isfinite(found.worst->ratio);
  if (found.worst && around.typical && !is_settled) {
    found = judge_elements(tile, around.typical());
  }
  for (size_t i = 0; i < tile.got.size() && !tile.truth.otherwise.empty(); ++i) {
    either_way_ += is_either_way(tile, budget, i) ? 1 : 0;
  }
  const auto chance = found.worst ? chance_of(*found.worst, tile, budget, around) : std::nullopt;
  if (chance) {
    lone_.exceed(*found.worst, *chance);
    return;
  }
  max_ratio_ = std::max(max_ratio_, found.max_ratio);
  if (found.worst) {
    worst_ = worse_of(worst_, *found.worst);
  }
}

// Whether the refused elements may be such as err by far more than the others of their tile, though all runs were small
// there by chance.
bool FloatRule::may_stand_out(const Refusal& worst, const TileData& tile, const TileBudget& budget) const {
  const auto elements = static_cast<int64_t>(tile.got.size());
  return worst.refused <= std::max<int64_t>(1, elements / kElementsPerOutlier) &&
         budget.own_error >= kRoundingErrors * epsilon_ * budget.magnitude && budget.own_error > 0;
}

std::optional<double> FloatRule::chance_of(const Refusal& worst, const TileData& tile, const TileBudget& budget,
                                           const AroundTile& around) const {
  if (tile.runs.size() < kErrorRuns || !std::isfinite(worst.ratio)) {
    return std::nullopt;
  }
  // More elements than its error is the error of: chance does not explain them, unless they share their errors.
  const bool are_few = static_cast<double>(worst.refused) <= std::fmax(1, budget.effective());
  if ((budget.effective() < kFewElements && are_few) || may_stand_out(worst, tile, budget)) {
    return chance_beyond(worst.ratio, kEqualSpreads, around.draws);
  }
  if (!around.shared || !lone_.may_be_chance(worst.ratio)) {
    return std::nullopt;
  }
  const SharedErrors shared = around.shared();
  return shared.numbers < kFewNumbers ? std::optional(chance_beyond(worst.ratio, shared.spreads)) : std::nullopt;
}

FloatRule::Found FloatRule::judge_elements(const TileData& tile, const TileBudget& budget) const {
  Found found;
  for (size_t i = 0; i < tile.got.size(); ++i) {
    judge_element(tile, budget, i, found);
  }
  return found;
}

void FloatRule::judge_element(const TileData& tile, const TileBudget& budget, size_t i, Found& found) const {
  const double got = tile.got[i];
  const double expected = tile.truth.nearest(i, got);
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
    return;
  }
  found.max_ratio = std::max(found.max_ratio, ratio);
  if (!accepted) {
    found.worst = worse_of(found.worst, Refusal{tile.begin + static_cast<int64_t>(i), tile.tile, got,
                                                tile.truth.reference[i], ratio, 1, budget.erring});
  }
}

void FloatRule::merge(const FloatRule& later) {
  max_ratio_ = std::max(max_ratio_, later.max_ratio_);
  either_way_ += later.either_way_;
  lone_.merge(later.lone_);
  if (later.worst_) {
    worst_ = worse_of(worst_, *later.worst_);
  }
}

std::optional<Refusal> FloatRule::refusal() const {
  std::optional<Refusal> worst = worst_;
  for (const Refusal& each : lone_.refused()) {
    worst = worse_of(worst, each);
  }
  return worst;
}

double FloatRule::max_ratio() const {
  const std::optional<Refusal> worst = refusal();
  return worst ? std::max(max_ratio_, worst->ratio) : max_ratio_;
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

}  // namespace stitch::verify
