// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/tile_budget.h"

#include <algorithm>
#include <cmath>

namespace stitch::verify {
namespace {

double max_error(const TileTruth& truth, std::span<const double> run) {
  double largest = 0;
  for (size_t i = 0; i < run.size(); ++i) {
    const double error = std::fabs(run[i] - truth.nearest(i, run[i]));
    // Written to take in finite errors only: an infinity or a NaN on either side leaves `largest` alone.
    largest = std::isfinite(error) && error > largest ? error : largest;
  }
  return largest;
}

void add_errors(const TileTruth& truth, const std::vector<std::span<const double>>& runs, TileBudget& budget) {
  for (size_t i = 0; i < truth.reference.size(); ++i) {
    double largest = 0;
    bool errs = false;
    for (const auto& run : runs) {
      const double error = std::fabs(run[i] - truth.nearest(i, run[i]));
      largest = std::isfinite(error) && error > largest ? error : largest;
      errs = errs || run[i] != truth.reference[i];
    }
    budget.own_error = std::max(budget.own_error, largest);
    budget.squares += largest * largest;
    budget.fourths += largest * largest * largest * largest;
    budget.erring += errs ? 1 : 0;
  }
}

}  // namespace

double TileTruth::nearest_of_several(size_t i, double value) const {
  double closest = reference[i];
  if (same_pattern(value, closest) && !std::isfinite(value)) {
    return closest;
  }
  for (const auto& other : otherwise) {
    const bool closer = std::isfinite(value)
                            ? !(std::fabs(value - closest) <= std::fabs(value - other[i])) && std::isfinite(other[i])
                            : same_pattern(value, other[i]);
    closest = closer ? other[i] : closest;
  }
  return closest;
}

TileBudget measure_tile(const TileTruth& truth, const std::vector<std::span<const double>>& runs,
                        std::span<const double> base) {
  const std::span<const double> reference = truth.reference;
  TileBudget budget;
  double squares = 0;
  int64_t finite = 0;
  for (const double value : reference) {
    if (std::isfinite(value)) {
      squares += value * value;
      budget.magnitude = std::max(budget.magnitude, std::fabs(value));
      ++finite;
    }
  }
  budget.rms = finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
  // Of doubles above 1e154, whose squares none holds: no tolerance is without an end.
  budget.rms = std::isfinite(budget.rms) ? budget.rms : budget.magnitude;
  add_errors(truth, runs, budget);
  budget.base_error = max_error(truth, base);
  return budget;
}

int64_t count_ill_conditioned(const TileTruth& truth, std::span<const double> base,
                              const std::vector<std::span<const double>>& perturbed, const TileBudget& budget,
                              double epsilon) {
  int64_t count = 0;
  for (size_t i = 0; i < base.size(); ++i) {
    const double expected = truth.nearest(i, base[i]);
    bool steady = same_pattern(base[i], expected);
    for (const auto& run : perturbed) {
      // What moves from one right value to another has moved by what is left then.
      const double step = truth.nearest(i, run[i]) - expected;
      const double moved = std::fabs(run[i] - base[i] - (std::isfinite(step) ? step : 0));
      steady = steady && same_pattern(run[i], base[i]) &&
               (!std::isfinite(base[i]) || moved <= budget.condition_bound(expected, epsilon));
    }
    count += steady ? 0 : 1;
  }
  return count;
}

}  // namespace stitch::verify
