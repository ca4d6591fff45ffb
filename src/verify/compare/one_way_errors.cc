// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/one_way_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "verify/compare/constants.h"

namespace stitch::verify {
namespace {

double finite_or_zero(double value) { return std::isfinite(value) ? value : 0; }

// How many columns are looked at; 0 for none.
size_t columns_of(double epsilon, const std::vector<int64_t>& shape) {
  if (epsilon < kOneWayEpsilon || shape.size() < 2) {
    return 0;
  }
  const int64_t elements = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  const int64_t columns = shape.back();
  const bool is_looked_at = columns > 1 && columns <= kMaxOneWayColumns && elements <= kMaxElementsInColumns &&
                            elements / columns >= static_cast<int64_t>(kOneWayElements);
  return is_looked_at ? static_cast<size_t>(columns) : 0;
}

std::string place_of(const OneWay& found, const std::vector<int64_t>& shape) {
  if (found.column) {
    return fmt::format("in column {}", *found.column);
  }
  return found.element ? "in the tile from " + index_text(*found.element, shape) : "on the whole";
}

}  // namespace

std::string message(const OneWay& found, const std::string& output, const std::vector<int64_t>& shape) {
  const double per_cent = 100 * std::fabs(found.by);
  std::string what = fmt::format("are {:.3g} % too {}", per_cent, found.by > 0 ? "large" : "small");
  if (found.kind == OneWay::Kind::kOffset) {
    what = fmt::format("lie too {} by {:.3g} %", found.by > 0 ? "high" : "low", per_cent);
  } else if (found.kind == OneWay::Kind::kTogether) {
    what = fmt::format("err by {:.3g} % (root of mean squares)", per_cent);
  }
  return fmt::format("elements of {} {} {}, where honest roundings {} ({:.3g} % allowed)", output, what,
                     place_of(found, shape), found.kind == OneWay::Kind::kTogether ? "are smaller" : "cancel",
                     100 * found.allowed);
}

OneWayErrors::OneWayErrors(double epsilon, const std::vector<int64_t>& shape)
    : epsilon_(epsilon), columns_(columns_of(epsilon, shape)) {}

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

void OneWayErrors::Sums::add_element(double truth, double error, double own, const std::vector<double>& by_runs) {
  runs.resize(by_runs.size());
  run_squares.resize(by_runs.size());
  for (size_t run = 0; run < by_runs.size(); ++run) {
    runs[run][kScale] += by_runs[run] * truth;
    runs[run][kOffset] += by_runs[run];
    run_squares[run] += by_runs[run] * by_runs[run];
  }
  elements += 1;
  truth_squares += truth * truth;
  spread[kScale] += own * own * truth * truth;
  spread[kOffset] += own * own;
  candidate[kScale] += error * truth;
  candidate[kOffset] += error;
  candidate_squares += error * error;
}

void OneWayErrors::Sums::divide(double size) {
  const double squared = size * size;
  truth_squares /= squared;
  candidate_squares /= squared;
  spread = {spread[kScale] / (squared * squared), spread[kOffset] / squared};
  candidate = {candidate[kScale] / squared, candidate[kOffset] / size};
  for (Both& run : runs) {
    run = {run[kScale] / squared, run[kOffset] / size};
  }
  for (double& squares : run_squares) {
    squares /= squared;
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

OneWayErrors::Sums OneWayErrors::sums_of(const TileData& tile, const std::vector<std::span<const double>>& more_runs) {
  std::vector<std::span<const double>> runs = tile.runs;
  runs.insert(runs.end(), more_runs.begin(), more_runs.end());
  std::vector<double> by_runs(runs.size());
  Sums sums;
  for (size_t i = 0; i < tile.got.size(); ++i) {
    const double truth = tile.truth.nearest(i, tile.got[i]);
    if (!std::isfinite(truth)) {
      continue;
    }
    double own = epsilon_ * std::fabs(truth);
    for (size_t run = 0; run < runs.size(); ++run) {
      by_runs[run] = finite_or_zero(runs[run][i] - tile.truth.nearest(i, runs[run][i]));
      own = std::max(own, std::fabs(by_runs[run]));
    }
    const double error = finite_or_zero(tile.got[i] - truth);
    sums.add_element(truth, error, own, by_runs);
    if (!columns_.empty()) {
      columns_[(static_cast<size_t>(tile.begin) + i) % columns_.size()].add_element(truth, error, own, by_runs);
    }
  }
  return sums;
}

void OneWayErrors::observe(const TileData& tile, const std::vector<std::span<const double>>& more_runs) {
  if (epsilon_ < kOneWayEpsilon || tile.got.size() < kOneWayElements) {
    return;
  }
  Sums sums = sums_of(tile, more_runs);
  whole_.add(sums);
  tiles_.push_back({tile.begin, std::move(sums)});
}

void OneWayErrors::observe_small(const TileData& tile, const std::vector<std::span<const double>>& more_runs) {
  Sums sums = sums_of(tile, more_runs);
  if (sums.truth_squares > 0) {
    sums.divide(std::sqrt(sums.truth_squares / sums.elements));
    OneWay alone;
    compare_together(sums, alone);
    small_draws_ += 1;
    small_draws_beyond_ += alone.ratio > 1 ? 1 : 0;
    whole_.add(sums);
  }
}

void OneWayErrors::merge(const OneWayErrors& later) {
  whole_.add(later.whole_);
  tiles_.insert(tiles_.end(), later.tiles_.begin(), later.tiles_.end());
  for (size_t column = 0; column < columns_.size(); ++column) {
    columns_[column].add(later.columns_[column]);
  }
}

// Some times what the reference's own runs are off by in such parts: the root of the mean of squares.
OneWayErrors::Both OneWayErrors::allowed_by_runs(const std::vector<const Sums*>& parts) const {
  Both squares{};
  double count = 0;
  for (const Sums* part : parts) {
    for (const Both& run : part->runs) {
      for (size_t kind = 0; kind < kKinds; ++kind) {
        const double by = finite_or_zero(part->relative(run, kind));
        squares[kind] += by * by;
      }
      count += 1;
    }
  }
  return {kOneWayTypical * std::sqrt(squares[kScale] / std::max(count, 1.0)),
          kOneWayTypical * std::sqrt(squares[kOffset] / std::max(count, 1.0))};
}

void OneWayErrors::compare_tiles(OneWay& farthest) const {
  std::vector<const Sums*> all;
  all.reserve(tiles_.size());
  for (const Tile& tile : tiles_) {
    all.push_back(&tile.sums);
  }
  const Both allowed = allowed_by_runs(all);
  for (const Tile& tile : tiles_) {
    compare(tile.sums, allowed, {.element = tile.begin}, farthest);
  }
}

void OneWayErrors::compare_columns(OneWay& farthest) const {
  std::vector<const Sums*> all;
  for (const Sums& column : columns_) {
    all.push_back(&column);
  }
  const Both allowed = allowed_by_runs(all);
  for (size_t column = 0; column < columns_.size(); ++column) {
    compare(columns_[column], allowed, {.column = static_cast<int64_t>(column)}, farthest);
  }
}

void OneWayErrors::compare_together(const Sums& sums, OneWay& farthest) const {
  if (!(sums.truth_squares > 0) || sums.run_squares.empty()) {
    return;
  }
  const auto relative = [&sums](double squares) { return std::sqrt(squares / sums.truth_squares); };
  const double largest = *std::max_element(sums.run_squares.begin(), sums.run_squares.end());
  const double allowed = std::max({kTogetherNative * relative(sums.run_squares.front()),
                                   kTogetherRuns * relative(largest), kTogetherRoundings * epsilon_});
  const double by = relative(sums.candidate_squares);
  if (by / allowed > farthest.ratio) {
    farthest = {by / allowed, OneWay::Kind::kTogether, by, allowed, std::nullopt};
  }
}

void OneWayErrors::compare(const Sums& sums, const Both& more_allowed, const Part& part, OneWay& farthest) const {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const double by = sums.relative(sums.candidate, kind);
    const double floor = kOneWayRoundings * epsilon_ * (part.is_whole ? 1 : kOneWayTile);
    const double allowed = floor + kErrorMultiple * sums.largest_run(kind) + sums.chance(kind) + more_allowed[kind];
    // Positive logic: what is no number, where all is zero, is not farther.
    if (std::fabs(by) / allowed > farthest.ratio) {
      farthest = {std::fabs(by) / allowed,
                  kind == kOffset ? OneWay::Kind::kOffset : OneWay::Kind::kScale,
                  by,
                  allowed,
                  part.element,
                  part.column};
    }
  }
}

std::optional<OneWay> OneWayErrors::farthest() const {
  if (tiles_.empty()) {
    return std::nullopt;
  }
  OneWay found;
  compare(whole_, {}, {.is_whole = true}, found);
  compare_tiles(found);
  compare_columns(found);
  if (found.ratio <= 1) {  // else that says more
    compare_together(whole_, found);
  }
  return found;
}

std::optional<OneWay> OneWayErrors::farthest_of_small() const {
  if (epsilon_ < kOneWayEpsilon || whole_.elements < kOneWaySmallElements) {
    return std::nullopt;
  }
  OneWay found;
  compare(whole_, {}, {}, found);
  if (found.ratio <= 1) {
    OneWay together = found;
    compare_together(whole_, together);
    const bool are_most = small_draws_beyond_ >= kOneWayDraws && 2 * small_draws_beyond_ > small_draws_;
    if (together.ratio <= 1 || are_most || together.ratio > kOneWayAtOnce) {
      return together;
    }
  }
  return found;
}

}  // namespace stitch::verify
