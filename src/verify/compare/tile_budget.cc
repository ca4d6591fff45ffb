// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/tile_budget.h"

#include <algorithm>
#include <cmath>

namespace stitch::verify {
namespace {

double largest_error(std::span<const double> reference, std::span<const double> run) {
  double largest = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    const double error = std::fabs(run[i] - reference[i]);
    // Written to take in finite errors only: an infinity or a NaN on either side leaves `largest` alone.
    largest = std::isfinite(error) && error > largest ? error : largest;
  }
  return largest;
}

int64_t count_erring(std::span<const double> reference, const std::vector<std::span<const double>>& runs) {
  int64_t count = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    count += std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run[i] != reference[i]; }) ? 1 : 0;
  }
  return count;
}

}  // namespace

TileBudget measure_tile(std::span<const double> reference, const std::vector<std::span<const double>>& runs,
                        std::span<const double> base) {
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
  for (const auto& run : runs) {
    budget.own_error = std::max(budget.own_error, largest_error(reference, run));
  }
  budget.base_error = largest_error(reference, base);
  budget.erring = count_erring(reference, runs);
  return budget;
}

int64_t count_ill_conditioned(std::span<const double> reference, std::span<const double> base,
                              const std::vector<std::span<const double>>& perturbed, const TileBudget& budget,
                              double epsilon) {
  int64_t count = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    bool steady = same_pattern(base[i], reference[i]);
    for (const auto& run : perturbed) {
      const double moved = std::fabs(run[i] - base[i]);
      steady = steady && same_pattern(run[i], base[i]) &&
               (!std::isfinite(base[i]) || moved <= budget.condition_bound(reference[i], epsilon));
    }
    count += steady ? 0 : 1;
  }
  return count;
}

}  // namespace stitch::verify
