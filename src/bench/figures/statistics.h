// SPDX-License-Identifier: Apache-2.0
// Means, intervals and estimators on plain numbers. A mean that meets a NaN or an infinity refuses: kInternal.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::bench {

struct Interval {
  double value = 0;
  double low = 0;  // of 95 %
  double high = 0;
};

// "1.50 (1.31 to 1.72)"
std::string describe(const Interval& interval, int digits = 2);
// "92 % (84 to 98)" of a share.
std::string describe_percent(const Interval& share);
// "+16.7 percentage points (+0.0 to +33.3)" of a difference of shares.
std::string describe_points(const Interval& difference);

Result<double> arithmetic_mean(std::span<const double> values);
// Of positive values.
Result<double> geometric_mean(std::span<const double> values);

// The chance that one of `k` samples is good where `good` of `samples` were, without bias: 1 - C(n-c, k) / C(n, k)
// (Chen et al., arXiv 2107.03374). 1 <= k <= samples.
double pass_at_k(int64_t samples, int64_t good, int64_t k);

// The percentile bootstrap: `statistic` of 2,000 resamples of the same size, drawn from a seed that is always the same,
// so that the same results have the same intervals everywhere. At least one value.
using Statistic = std::function<Result<double>(std::span<const double>)>;
Result<Interval> bootstrap(std::span<const double> values, const Statistic& statistic);

}  // namespace stitch::bench
