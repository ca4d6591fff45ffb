// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/lone_tiles.h"

#include <algorithm>
#include <cmath>

#include "verify/compare/constants.h"

namespace stitch::verify {

double lone_multiple(int64_t rank, int64_t tiles) {
  const auto place = static_cast<double>(rank);
  // Of a Poisson number with mean m, P(>= rank) <= m^rank / rank!. The chances of ranks, each half of the one before,
  // sum to kRefusalChance.
  const double log_mean = (std::log(kRefusalChance) - place * std::log(2.0) + std::lgamma(place + 1)) / place;
  const double tail = kLoneTail * static_cast<double>(tiles) / std::exp(log_mean);
  return std::max(kErrorMultiple, std::pow(tail, 1.0 / static_cast<double>(kErrorRuns)));
}

void LoneTiles::merge(const LoneTiles& later) {
  seen_ += later.seen_;
  exceeding_.insert(exceeding_.end(), later.exceeding_.begin(), later.exceeding_.end());
}

std::vector<Refusal> LoneTiles::refused() const {
  std::vector<Refusal> sorted = exceeding_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Refusal& left, const Refusal& right) { return left.ratio > right.ratio; });
  size_t refused = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    // Positive logic: a ratio that is no number is within nothing.
    const bool accepted = sorted[i].ratio <= lone_multiple(static_cast<int64_t>(i) + 1, seen_);
    refused = accepted ? refused : i + 1;
  }
  sorted.resize(refused);
  return sorted;
}

double LoneTiles::largest() const {
  double largest = 0;
  for (const Refusal& each : exceeding_) {
    largest = std::max(largest, each.ratio);
  }
  return largest;
}

}  // namespace stitch::verify
