// SPDX-License-Identifier: Apache-2.0
// Mode kernelbench: whether an output whose operands were rounded to TF32 somewhere is what the baseline computes,
// where KernelBench's 1e-4 for every element asks for more than the baseline's own arithmetic keeps. An operand that
// another order of summing, or one ulp at the input, moves across the middle between two TF32 numbers is rounded
// otherwise; in deep networks that happens to so many that no two programs agree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stitch::verify {

// Differences of all elements of an output together, in tiles: single elements are what budgets are for.
class Nearness {
 public:
  // `runs`: the baseline first, then two on inputs moved by one ulp and one with disturbed sums, all rounding alike.
  // Fewer say nothing. Elements that are not finite somewhere take no part.
  void observe(std::span<const double> got, const std::vector<std::span<const double>>& runs);
  void merge(const Nearness& later);

  // How far the runs are from each other: the root of the mean square, as a multiple of the outputs' own.
  double apart() const;
  // How far the output is from the baseline, in the same measure.
  double distance() const;
  // Whether the output is no farther than kNearnessMultiple times that from the baseline, or from the run that rounds
  // what a program of ours does: a library leaves some operands as they are, or rounds others. `apart_elsewhere`: what
  // other draws of a small output gave.
  bool holds(double apart_elsewhere) const;

 private:
  int64_t runs_ = 0;  // sums of squares of so many pairs are in `apart_`
  double size_ = 0;
  double apart_ = 0;
  double from_baseline_ = 0;
  double from_own_ = 0;
};

}  // namespace stitch::verify
