// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stitch::evaluate {
namespace {

constexpr size_t kMinSamples = 5;
constexpr double kMaxDrift = 0.05;
constexpr double kMaxUncertainty = 0.2;     // width of the interval, as a part of the median
constexpr uint64_t kSeriesSeed = 20260101;  // any will do, as long as it stays

std::string refusal_of(std::span<const double> samples_us, const SeriesVerdict& verdict) {
  if (samples_us.size() < kMinSamples) {
    return fmt::format("{} blocks are too few: at least {} are wanted", samples_us.size(), kMinSamples);
  }
  if (!std::all_of(samples_us.begin(), samples_us.end(), [](double us) { return std::isfinite(us) && us > 0; })) {
    return "a block has no time above zero";
  }
  if (const TwoModes modes = find_two_modes(samples_us); modes.found) {
    return fmt::format("the times are of two kinds: {} blocks near {:.4g} us, {} near {:.4g} us", modes.low_count,
                       modes.low, samples_us.size() - static_cast<size_t>(modes.low_count), modes.high);
  }
  if (const Drift drift = find_drift(samples_us); drift.is_certain && std::abs(drift.part) > kMaxDrift) {
    return fmt::format("the times drift {} by {:.1f} % from the first block to the last",
                       drift.part > 0 ? "up" : "down", 100 * std::abs(drift.part));
  }
  if (!(verdict.interval.high - verdict.interval.low <= kMaxUncertainty * verdict.median_us)) {
    return fmt::format("the times are too unsteady: the median is between {:.4g} and {:.4g} us", verdict.interval.low,
                       verdict.interval.high);
  }
  return {};
}

}  // namespace

SeriesVerdict judge_series(std::span<const double> samples_us) {
  SeriesVerdict verdict;
  verdict.median_us = median({samples_us.begin(), samples_us.end()});
  verdict.interval = bootstrap_median(samples_us, kSeriesSeed);
  verdict.refusal = refusal_of(samples_us, verdict);
  return verdict;
}

Result<SteadySeries> measure_steadily(const std::function<Result<std::vector<double>>()>& measure, int max_tries) {
  SteadySeries series;
  while (series.tries < max_tries) {
    if (series.tries > 0) {
      series.refused.push_back(series.verdict.refusal);
    }
    STITCH_ASSIGN(series.samples_us, measure());
    series.verdict = judge_series(series.samples_us);
    ++series.tries;
    if (series.verdict.refusal.empty()) {
      break;
    }
  }
  return series;
}

}  // namespace stitch::evaluate
