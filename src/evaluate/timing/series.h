// SPDX-License-Identifier: Apache-2.0
// Whether a series of times, one for each block, may be reported, and the bounded number of tries to get one that may.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "evaluate/timing/statistics.h"

namespace stitch::evaluate {

struct SeriesVerdict {
  double median_us = 0;
  Interval interval;    // of the median, 95 %
  std::string refusal;  // a sentence: why this series may not be reported; empty when it may
};

SeriesVerdict judge_series(std::span<const double> samples_us);

struct SteadySeries {
  std::vector<double> samples_us;  // of the last try
  SeriesVerdict verdict;           // still a refusal where no try was steady
  int tries = 0;
  std::vector<std::string> refused;  // why each try before it was not taken
};

constexpr int kMaxTries = 3;

// Measures again, at most `max_tries` times in all, as long as the series may not be reported.
Result<SteadySeries> measure_steadily(const std::function<Result<std::vector<double>>()>& measure,
                                      int max_tries = kMaxTries);

}  // namespace stitch::evaluate
