// SPDX-License-Identifier: Apache-2.0
// Medians and what may be said of them: bootstrap intervals, drift, two modes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stitch::evaluate {

// Zero of no values.
double median(std::vector<double> values);

struct Interval {
  double low = 0;
  double high = 0;
};
// Percentile bootstrap (Efron 1979) of the median: 95 of 100 resamples have theirs within. The same values and seed
// give the same interval everywhere.
Interval bootstrap_median(std::span<const double> values, uint64_t seed);

// How much the series went up (+) or down (-) from its first value to its last, as a part of its median, by Theil and
// Sen's slope (the median of all pairs' slopes); and whether that is more than chance, by Mann and Kendall's test at
// the 1 % level.
struct Drift {
  double part = 0;
  bool is_certain = false;
};
Drift find_drift(std::span<const double> values);

// Two groups of values, each at least a fifth of all, that lie further apart than six times what they scatter within
// themselves: a program that works in some calls only, or clocks that jump.
struct TwoModes {
  bool found = false;
  double low = 0;  // the groups' medians
  double high = 0;
  int low_count = 0;
};
TwoModes find_two_modes(std::span<const double> values);

}  // namespace stitch::evaluate
