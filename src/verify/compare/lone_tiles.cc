// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/lone_tiles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "verify/compare/constants.h"

namespace stitch::verify {
namespace {

// Beyond so many times the least spread the bound is the chance itself, up to a hundredth.
constexpr double kWide = 16;
// The integral over |Z0|, by the midpoint rule. Beyond 8 lies 1e-15, less than any chance that is asked for here.
constexpr double kLargestNormal = 8;
constexpr int kSteps = 128;

double integrated_chance(double ratio, const RunSpreads& spreads, int draws) {
  constexpr double kStep = kLargestNormal / kSteps;
  double chance = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double x = (step + 0.5) * kStep;
    double density = 2 * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    for (const double spread : spreads) {
      density *= std::pow(std::erf(x / (ratio * spread) / std::numbers::sqrt2), draws);
    }
    chance += density * kStep;
  }
  return chance;
}

}  // namespace

double chance_beyond(double ratio, const RunSpreads& spreads, int draws) {
  if (draws > 1) {
    return integrated_chance(ratio, spreads, draws);
  }
  double bound = kLoneTail;
  for (const double spread : spreads) {
    bound /= ratio * spread;
  }
  const double least = *std::min_element(spreads.begin(), spreads.end());
  return ratio * least > kWide ? bound : std::min(bound, integrated_chance(ratio, spreads, draws));
}

double least_chance(int64_t rank, int64_t tiles) {
  const auto place = static_cast<double>(rank);
  // Of a Poisson number with mean m, P(>= rank) <= m^rank / rank!. The chances of ranks, each half of the one before,
  // sum to kRefusalChance.
  const double log_mean = (std::log(kRefusalChance) - place * std::log(2.0) + std::lgamma(place + 1)) / place;
  return std::exp(log_mean) / static_cast<double>(tiles);
}

bool LoneTiles::may_be_chance(double ratio) const {
  RunSpreads least;
  least.fill(kLeastSpread);
  least.front() = 1;
  return chance_beyond(ratio, least) >= least_chance(1, tiles_);
}

void LoneTiles::merge(const LoneTiles& later) {
  exceeding_.insert(exceeding_.end(), later.exceeding_.begin(), later.exceeding_.end());
}

std::vector<Refusal> LoneTiles::refused() const {
  std::vector<Exceeding> sorted = exceeding_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Exceeding& left, const Exceeding& right) { return left.chance < right.chance; });
  size_t refused = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    // Positive logic: a chance that is no number is above nothing.
    const bool accepted = sorted[i].chance >= least_chance(static_cast<int64_t>(i) + 1, tiles_);
    refused = accepted ? refused : i + 1;
  }
  std::vector<Refusal> all;
  for (size_t i = 0; i < refused; ++i) {
    all.push_back(sorted[i].worst);
  }
  return all;
}

double LoneTiles::largest() const {
  double largest = 0;
  for (const Exceeding& each : exceeding_) {
    largest = std::max(largest, each.worst.ratio);
  }
  return largest;
}

}  // namespace stitch::verify
