// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/one_way_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "verify/compare/constants.h"

namespace stitch::verify {
namespace {

double finite_or_zero(double value) { return std::isfinite(value) ? value : 0; }

}  // namespace

std::string message(const OneWay& found, const std::string& output, const std::vector<int64_t>& shape) {
  const double per_cent = 100 * std::fabs(found.by);
  const std::string where = found.element ? "in the tile from " + index_text(*found.element, shape) : "on the whole";
  std::string what = fmt::format("are {:.3g} % too {}", per_cent, found.by > 0 ? "large" : "small");
  if (found.kind == OneWay::Kind::kOffset) {
    what = fmt::format("lie too {} by {:.3g} %", found.by > 0 ? "high" : "low", per_cent);
  } else if (found.kind == OneWay::Kind::kTogether) {
    what = fmt::format("err by {:.3g} % (root of mean squares)", per_cent);
  }
  return fmt::format("elements of {} {} {}, where honest roundings {} ({:.3g} % allowed)", output, what, where,
                     found.kind == OneWay::Kind::kTogether ? "are smaller" : "cancel", 100 * found.allowed);
}

OneWayErrors::OneWayErrors(double epsilon) : epsilon_(epsilon) {}

void OneWayErrors::Sums::add(const Sums& other) {
  elements += other.elements;
  truth_squares += other.truth_squares;
  runs.resize(std::max(runs.size(), other.runs.size()));
  run_squares.resize(runs.size());
  candidate_squares += other.candidate_squares;
  for (size_t run = 0; run < other.run_squares.size(); ++run) {
    run_squares[run] += other.run_squares[run];
  }
  for (size_t kind = 0; kind < kKinds; ++kind) {
    spread[kind] += other.spread[kind];
    candidate[kind] += other.candidate[kind];
    for (size_t run = 0; run < other.runs.size(); ++run) {
      runs[run][kind] += other.runs[run][kind];
    }
  }
}

double OneWayErrors::Sums::relative(const Both& sums, size_t kind) const {
  return kind == kScale ? sums[kind] / truth_squares : sums[kind] / std::sqrt(elements * truth_squares);
}

double OneWayErrors::Sums::chance(size_t kind) const {
  const double root = std::sqrt(spread[kind]);
  return kOneWaySpreads * (kind == kScale ? root / truth_squares : root / std::sqrt(elements * truth_squares));
}

double OneWayErrors::Sums::largest_run(size_t kind) const {
  double largest = 0;
  for (const Both& run : runs) {
    largest = std::max(largest, std::fabs(relative(run, kind)));
  }
  return largest;
}

void OneWayErrors::observe(const TileData& tile, const std::vector<std::span<const double>>& more_runs) {
  if (epsilon_ < kOneWayEpsilon || tile.got.size() < kOneWayElements) {
    return;
  }
  std::vector<std::span<const double>> runs = tile.runs;
  runs.insert(runs.end(), more_runs.begin(), more_runs.end());
  Sums sums;
  sums.runs.resize(runs.size());
  sums.run_squares.resize(runs.size());
  for (size_t i = 0; i < tile.got.size(); ++i) {
    const double truth = tile.truth.nearest(i, tile.got[i]);
    if (!std::isfinite(truth)) {
      continue;
    }
    const double error = finite_or_zero(tile.got[i] - truth);
    double own = epsilon_ * std::fabs(truth);
    for (size_t run = 0; run < runs.size(); ++run) {
      const double by = finite_or_zero(runs[run][i] - tile.truth.nearest(i, runs[run][i]));
      own = std::max(own, std::fabs(by));
      sums.runs[run][kScale] += by * truth;
      sums.runs[run][kOffset] += by;
      sums.run_squares[run] += by * by;
    }
    sums.elements += 1;
    sums.truth_squares += truth * truth;
    sums.spread[kScale] += own * own * truth * truth;
    sums.spread[kOffset] += own * own;
    sums.candidate[kScale] += error * truth;
    sums.candidate[kOffset] += error;
    sums.candidate_squares += error * error;
  }
  whole_.add(sums);
  tiles_.push_back({tile.begin, std::move(sums)});
}

void OneWayErrors::merge(const OneWayErrors& later) {
  whole_.add(later.whole_);
  tiles_.insert(tiles_.end(), later.tiles_.begin(), later.tiles_.end());
}

// What the reference's own runs are off by in a tile: the root of the mean of squares.
OneWayErrors::Both OneWayErrors::typical_runs() const {
  Both squares{};
  double count = 0;
  for (const Tile& tile : tiles_) {
    for (const Both& run : tile.sums.runs) {
      for (size_t kind = 0; kind < kKinds; ++kind) {
        const double by = finite_or_zero(tile.sums.relative(run, kind));
        squares[kind] += by * by;
      }
      count += 1;
    }
  }
  return {std::sqrt(squares[kScale] / std::max(count, 1.0)), std::sqrt(squares[kOffset] / std::max(count, 1.0))};
}

void OneWayErrors::compare_together(OneWay& farthest) const {
  if (!(whole_.truth_squares > 0) || whole_.run_squares.empty()) {
    return;
  }
  const auto relative = [this](double squares) { return std::sqrt(squares / whole_.truth_squares); };
  const double largest = *std::max_element(whole_.run_squares.begin(), whole_.run_squares.end());
  const double allowed = std::max({kTogetherNative * relative(whole_.run_squares.front()),
                                   kTogetherRuns * relative(largest), kTogetherRoundings * epsilon_});
  const double by = relative(whole_.candidate_squares);
  if (by / allowed > farthest.ratio) {
    farthest = {by / allowed, OneWay::Kind::kTogether, by, allowed, std::nullopt};
  }
}

void OneWayErrors::compare(const Sums& sums, const Both& more_allowed, std::optional<int64_t> element,
                           OneWay& farthest) const {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const double by = sums.relative(sums.candidate, kind);
    const double floor = kOneWayRoundings * epsilon_ * (element ? kOneWayTile : 1);
    const double allowed = floor + kErrorMultiple * sums.largest_run(kind) + sums.chance(kind) + more_allowed[kind];
    // Positive logic: what is no number, where all is zero, is not farther.
    if (std::fabs(by) / allowed > farthest.ratio) {
      farthest = {std::fabs(by) / allowed, kind == kOffset ? OneWay::Kind::kOffset : OneWay::Kind::kScale, by, allowed,
                  element};
    }
  }
}

std::optional<OneWay> OneWayErrors::farthest() const {
  if (tiles_.empty()) {
    return std::nullopt;
  }
  OneWay found;
  compare(whole_, {}, std::nullopt, found);
  Both typical = typical_runs();
  for (double& each : typical) {
    each *= kOneWayTypical;
  }
  for (const Tile& tile : tiles_) {
    compare(tile.sums, typical, tile.begin, found);
  }
  if (found.ratio <= 1) {  // else that says more
    compare_together(found);
  }
  return found;
}

}  // namespace stitch::verify
