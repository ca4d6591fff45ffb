// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace stitch::evaluate {
namespace {

constexpr int kResamples = 1000;
constexpr double kTail = 0.025;
constexpr double kCertain = 2.576;  // of a normal variable: 1 % two-sided
constexpr double kTimesWithin = 6;
constexpr double kMinGap = 0.08;  // as a part of the lower group's median

// Mean distance from the median.
double scatter(std::span<const double> sorted, double middle) {
  double sum = 0;
  for (const double value : sorted) {
    sum += std::abs(value - middle);
  }
  return sum;
}

double median_of(std::span<const double> values) { return median({values.begin(), values.end()}); }

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

Interval bootstrap_median(std::span<const double> values, uint64_t seed) {
  if (values.empty()) {
    return {};
  }
  std::mt19937_64 random(seed);
  std::vector<double> medians;
  std::vector<double> resample(values.size());
  for (int i = 0; i < kResamples; ++i) {
    for (double& value : resample) {
      value = values[random() % values.size()];
    }
    medians.push_back(median(resample));
  }
  std::sort(medians.begin(), medians.end());
  const auto tail = static_cast<size_t>(kTail * kResamples);
  return {medians[tail], medians[medians.size() - 1 - tail]};
}

Drift find_drift(std::span<const double> values) {
  const size_t count = values.size();
  const double middle = median_of(values);
  if (count < 4 || !(middle > 0)) {
    return {};
  }
  std::vector<double> slopes;
  double concordant = 0;
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i + 1; j < count; ++j) {
      const double rise = values[j] - values[i];
      slopes.push_back(rise / static_cast<double>(j - i));
      concordant += rise > 0 ? 1 : rise < 0 ? -1 : 0;
    }
  }
  const auto n = static_cast<double>(count);
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const double z = std::max(0.0, std::abs(concordant) - 1) / deviation;
  return {.part = median(std::move(slopes)) * (n - 1) / middle, .is_certain = z > kCertain};
}

TwoModes find_two_modes(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t least = std::max<size_t>(2, (sorted.size() + 4) / 5);
  TwoModes best;
  double best_ratio = kTimesWithin;
  for (size_t split = least; split + least <= sorted.size(); ++split) {
    const std::span<const double> low(sorted.data(), split);
    const std::span<const double> high(sorted.data() + split, sorted.size() - split);
    const double low_median = median_of(low);
    const double high_median = median_of(high);
    const double within = (scatter(low, low_median) + scatter(high, high_median)) / static_cast<double>(sorted.size());
    const double apart = high_median - low_median;
    const bool is_apart = apart > kMinGap * low_median && apart > best_ratio * within;
    if (is_apart) {
      best = {.found = true, .low = low_median, .high = high_median, .low_count = static_cast<int>(split)};
      best_ratio = within > 0 ? apart / within : apart / (1e-9 * low_median);
    }
  }
  return best;
}

}  // namespace stitch::evaluate
