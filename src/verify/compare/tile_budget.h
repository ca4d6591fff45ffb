// SPDX-License-Identifier: Apache-2.0
// What error a tile of the reference makes by itself, and hence how much a candidate may make there.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "artifact/tensor/data_type.h"
#include "verify/compare/constants.h"

namespace stitch::verify {

// The right values of a tile's elements: `reference`, or one of `otherwise`, where decisions within rounding fall the
// other way.
struct TileTruth {
  std::span<const double> reference;
  std::vector<std::span<const double>> otherwise{};

  // The right value that `value` is closest to; `reference` where it is close to none.
  double nearest(size_t i, double value) const {
    return otherwise.empty() ? reference[i] : nearest_of_several(i, value);
  }

 private:
  double nearest_of_several(size_t i, double value) const;
};

struct TileBudget {
  double own_error = 0;   // E(tile): the largest |run - ref64| over the native run and all others
  double base_error = 0;  // the largest error of the run that the perturbed ones are compared with
  double rms = 0;         // of ref64
  double magnitude = 0;   // max |ref64|
  double squares = 0;     // sum of the squared errors, each the largest of its element's runs
  double fourths = 0;     // sum of their squares
  int64_t erring = 0;     // elements at which some run errs: what `own_error` is the largest of

  // How many elements of equal errors would give the same sums: the effective size of the sample behind E.
  double effective() const { return squares * squares / fourths; }

  // How far a candidate may deviate at an element whose true value is `expected`.
  double tolerance(double expected, double epsilon) const {
    return kErrorMultiple * own_error + kRoundingMultiple * epsilon * std::fmax(std::fabs(expected), rms);
  }
  // What one ulp at the input may move an element by before its regime counts as ill-conditioned there.
  double condition_bound(double expected, double epsilon) const {
    return kConditionErrorMultiple * base_error +
           kConditionRoundingMultiple * epsilon * std::fmax(std::fabs(expected), rms);
  }
};

// `runs` are all runs of the reference, the native one first. `base` is the one of them that the perturbed runs differ
// from by their perturbation only. Elements that are not finite in the reference or in a run take no part: their
// pattern is compared, not their value.
TileBudget measure_tile(const TileTruth& truth, const std::vector<std::span<const double>>& runs,
                        std::span<const double> base);

// The elements of the tile that one ulp at the inputs moves beyond the bound, or in or out of the finite numbers. An
// element that moves from one right value to another does not count: its near tie is known.
int64_t count_ill_conditioned(const TileTruth& truth, std::span<const double> base,
                              const std::vector<std::span<const double>>& perturbed, const TileBudget& budget,
                              double epsilon);

// Both finite, both NaN, or the same infinity.
inline bool same_pattern(double left, double right) {
  if (std::isfinite(left)) {
    return std::isfinite(right);
  }
  return left == right || (std::isnan(left) && std::isnan(right));
}

}  // namespace stitch::verify
