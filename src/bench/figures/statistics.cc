// SPDX-License-Identifier: Apache-2.0
#include "bench/figures/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error/check.h"

namespace stitch::bench {
namespace {

constexpr uint64_t kSeed = 20260302;
constexpr size_t kResamples = 2000;

Result<void> check_numbers(std::span<const double> values) {
  if (values.empty()) {
    return failure(ErrorCode::kInternal, "there is nothing to take a mean of");
  }
  const bool are_finite = std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  return are_finite ? Result<void>()
                    : Result<void>(failure(ErrorCode::kInternal, "a value is no number, so there is no mean"));
}

// From 0 to below `count`, the same on every machine, unlike the standard library's distributions.
size_t drawn_below(std::mt19937_64& random, size_t count) {
  return static_cast<size_t>((static_cast<unsigned __int128>(random()) * count) >> 64);
}

// Between the values on both sides.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::string describe(const Interval& interval, int digits) {
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", interval.value, digits, interval.low, digits, interval.high,
                     digits);
}

std::string describe_percent(const Interval& share) {
  return fmt::format("{:.0f} % ({:.0f} to {:.0f})", 100 * share.value, 100 * share.low, 100 * share.high);
}

std::string describe_points(const Interval& difference) {
  return fmt::format("{:+.1f} percentage points ({:+.1f} to {:+.1f})", 100 * difference.value, 100 * difference.low,
                     100 * difference.high);
}

Result<double> arithmetic_mean(std::span<const double> values) {
  STITCH_TRY(check_numbers(values));
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

Result<double> geometric_mean(std::span<const double> values) {
  STITCH_TRY(check_numbers(values));
  double sum = 0;
  for (const double value : values) {
    if (!(value > 0)) {
      return failure(ErrorCode::kInternal, fmt::format("{} is not positive, so there is no geometric mean", value));
    }
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

double pass_at_k(int64_t samples, int64_t good, int64_t k) {
  STITCH_CHECK(1 <= k && k <= samples && 0 <= good && good <= samples);
  // C(n-c, k) / C(n, k), factor by factor, so that nothing overflows.
  double all_bad = 1;
  for (int64_t i = 0; i < k; ++i) {
    all_bad *= static_cast<double>(std::max<int64_t>(samples - good - i, 0)) / static_cast<double>(samples - i);
  }
  return 1 - all_bad;
}

Result<Interval> bootstrap(std::span<const double> values, const Statistic& statistic) {
  Interval interval;
  STITCH_ASSIGN(interval.value, statistic(values));
  std::mt19937_64 random(kSeed);
  std::vector<double> resample(values.size());
  std::vector<double> found;
  found.reserve(kResamples);
  for (size_t i = 0; i < kResamples; ++i) {
    for (double& value : resample) {
      value = values[drawn_below(random, values.size())];
    }
    STITCH_ASSIGN(const double one, statistic(resample));
    found.push_back(one);
  }
  std::sort(found.begin(), found.end());
  constexpr double kTail = 0.025;
  interval.low = quantile(found, kTail);
  interval.high = quantile(found, 1 - kTail);
  return interval;
}

}  // namespace stitch::bench
