// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/small_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "verify/compare/constants.h"

namespace stitch::verify {
namespace {

constexpr int kFractionBits = 52;  // of a double, and what is added to its exponent
constexpr int kBias = 1023;
constexpr int kGroups = (1024 - kSmallestExponent) / kMagnitudeOctaves;

// The group of a magnitude; none for what is smaller than all, zero, or no number.
std::optional<int> group_of(double value) {
  const int exponent = static_cast<int>(std::bit_cast<uint64_t>(std::fabs(value)) >> kFractionBits) - kBias;
  if (!std::isfinite(value) || exponent < kSmallestExponent) {
    return std::nullopt;
  }
  return (exponent - kSmallestExponent) / kMagnitudeOctaves;
}

bool are_too_many(int64_t lost, int64_t known, int64_t elements) {
  return known >= kMinKnown && 2 * known >= elements &&
         static_cast<double>(lost) > kLostShare * static_cast<double>(known);
}

}  // namespace

Refusal refused_as_lost(int group, int64_t lost, int64_t known, Refusal first_lost) {
  first_lost.refused = lost;
  first_lost.ratio = std::numeric_limits<double>::infinity();
  first_lost.known = known;
  first_lost.magnitude = std::ldexp(1.0, kSmallestExponent + group * kMagnitudeOctaves);
  return first_lost;
}

SmallNumbers::SmallNumbers(double epsilon)
    : known_within_(std::max(kKnownWithin, kKnownRoundings * epsilon)), groups_(kGroups) {}

bool SmallNumbers::is_known(const TileData& tile, const std::vector<std::span<const double>>& more_runs,
                            size_t i) const {
  const auto agrees = [&](std::span<const double> run) {
    const double expected = tile.truth.nearest(i, run[i]);
    return std::fabs(run[i] - expected) <= known_within_ * std::fabs(expected);
  };
  return std::all_of(tile.runs.begin(), tile.runs.end(), agrees) &&
         std::all_of(more_runs.begin(), more_runs.end(), agrees);
}

void SmallNumbers::observe_element(const TileData& tile, const std::vector<std::span<const double>>& more_runs,
                                   size_t i) {
  const double expected = tile.truth.nearest(i, tile.got[i]);
  const std::optional<int> number = group_of(expected);
  if (!number) {
    return;
  }
  Group& group = groups_[static_cast<size_t>(*number)];
  ++group.elements;
  if (!is_known(tile, more_runs, i)) {
    return;
  }
  ++group.known;
  if (std::fabs(tile.got[i] - expected) <= kLostBeyond * std::fabs(expected)) {
    return;
  }
  ++group.lost;
  if (!group.first_lost) {
    group.first_lost = Refusal{.element = tile.begin + static_cast<int64_t>(i),
                               .tile = tile.tile,
                               .got = tile.got[i],
                               .expected = tile.truth.reference[i]};
  }
}

void SmallNumbers::observe(const TileData& tile, const std::vector<std::span<const double>>& more_runs) {
  for (size_t i = 0; i < tile.got.size(); ++i) {
    observe_element(tile, more_runs, i);
  }
}

void SmallNumbers::merge(const SmallNumbers& later) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].elements += later.groups_[i].elements;
    groups_[i].known += later.groups_[i].known;
    groups_[i].lost += later.groups_[i].lost;
    if (!groups_[i].first_lost) {
      groups_[i].first_lost = later.groups_[i].first_lost;
    }
  }
}

std::optional<Refusal> SmallNumbers::refusal() const {
  for (size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    if (are_too_many(group.lost, group.known, group.elements)) {
      return refused_as_lost(static_cast<int>(i), group.lost, group.known, *group.first_lost);
    }
  }
  return std::nullopt;
}

}  // namespace stitch::verify
