// SPDX-License-Identifier: Apache-2.0
// How a reference adds up: exactly (fp64), as a CPU library does (blocks in several lanes), or as the library does with
// the error of a plain sequential fp32 loop put on top. Families are written once against these; `contraction` is for
// sums of products of inputs and parameters, `sum` for everything else.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "calibration/arithmetic.h"
#include "calibration/random.h"

namespace stitch::calibration {

class ExactSums {
 public:
  using Real = double;
  template <typename Term>
  double sum(int64_t count, Term term) const {
    double total = 0;
    for (int64_t i = 0; i < count; ++i) {
      total += static_cast<double>(term(i));
    }
    return total;
  }
  template <typename Term>
  double contraction(int64_t count, Term term) const {
    return sum(count, term);
  }
};

class NativeSums {
 public:
  using Real = float;
  // `disturbance` null: the library's own sums.
  explicit NativeSums(Random* disturbance) : disturbance_(disturbance) {}

  template <typename Term>
  float contraction(int64_t count, Term term) const {
    const float total = in_lanes(count, term);
    return disturbance_ == nullptr
               ? total
               : static_cast<float>(static_cast<double>(total) +
                                    static_cast<double>(disturbance_->normal()) * unit(total, count, term));
  }

  // One sum decides about a whole row or channel, where a contraction makes many draws. So its error must not be small
  // by luck (never less than one unit), and what a sequential loop loses by adding many small or equal terms, which
  // always round the same way, is measured instead of drawn.
  template <typename Term>
  float sum(int64_t count, Term term) const {
    const float total = in_lanes(count, term);
    if (disturbance_ == nullptr) {
      return total;
    }
    float sequential = 0;
    for (int64_t i = 0; i < count; ++i) {
      sequential += term(i);
    }
    const double lost = static_cast<double>(sequential) - static_cast<double>(total);
    const double drawn = std::max(std::fabs(static_cast<double>(disturbance_->normal())), 1.0);
    const double error = lost + std::copysign(drawn * unit(total, count, term), lost);
    return static_cast<float>(static_cast<double>(total) + error);
  }

 private:
  static constexpr int64_t kBlock = 512;
  static constexpr int64_t kLanes = 8;

  template <typename Term>
  static float in_lanes(int64_t count, Term term) {
    float total = 0;
    for (int64_t block = 0; block < count; block += kBlock) {
      float lanes[kLanes] = {};
      const int64_t end = std::min(count, block + kBlock);
      for (int64_t i = block; i < end; ++i) {
        lanes[i % kLanes] += term(i);
      }
      total += pairwise_sum(lanes);
    }
    return total;
  }

  template <typename Term>
  static double unit(float total, int64_t count, Term term) {
    constexpr double kDivisor = 5;
    double squares = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto value = static_cast<double>(term(i));
      squares += value * value;
    }
    const double spread = std::max(std::fabs(static_cast<double>(total)), std::sqrt(squares));
    return static_cast<double>(kEpsilon32) * std::sqrt(static_cast<double>(count)) / kDivisor * spread;
  }

  Random* disturbance_;
};

}  // namespace stitch::calibration
